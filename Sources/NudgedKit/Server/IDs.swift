#if !hasFeature(Embedded)
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
#endif

/// The id of a message or a reminder (a UUID), or of a check-in (its day, such as `2026-11-20`).
public struct NudgeID: RawRepresentable, Sendable, Hashable {
    /// The id as nudged has it: a UUID is in lower case.
    public let rawValue: String

    /// Any text is taken. A UUID may be in upper case.
    public init(rawValue: String) {
        self.rawValue = ConversationID(rawValue)?.description ?? rawValue
    }
}

/// A user's id. Upper and lower case of a UUID are equal.
public struct UserID: RawRepresentable, Sendable, Hashable {
    /// The id as nudged has it: a UUID is in lower case.
    public let rawValue: String

    /// Any text is taken. A UUID may be in upper case.
    public init(rawValue: String) {
        self.rawValue = ConversationID(rawValue)?.description ?? rawValue
    }
}

#if !hasFeature(Embedded)
    extension NudgeID: Codable {}

    extension UserID: Codable {
        /// The id that an authentication service has.
        public init(_ id: UUID) { self.init(rawValue: id.uuidString) }
    }
#endif
