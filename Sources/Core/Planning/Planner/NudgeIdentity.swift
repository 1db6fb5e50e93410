package import Policy
package import TimeZones

import struct FoundationEssentials.UUID

/// Identifies one of a user's nudges.
package struct NudgeIdentity: Sendable, Hashable {
    package let kind: NudgeKind
    /// Unique for a user and kind: a check-in's slot, or the id of a message or reminder.
    package let key: String
    /// A check-in's local date.
    package let slot: LocalDate?

    static func checkIn(_ slot: LocalDate) -> NudgeIdentity {
        NudgeIdentity(kind: .checkIn, key: slot.iso, slot: slot)
    }

    /// The key is the id as PostgreSQL writes it.
    static func message(_ id: UUID) -> NudgeIdentity {
        NudgeIdentity(kind: .message, key: id.uuidString.lowercased(), slot: nil)
    }

    /// The key is the id as PostgreSQL writes it.
    static func reminder(_ id: UUID) -> NudgeIdentity {
        NudgeIdentity(kind: .reminder, key: id.uuidString.lowercased(), slot: nil)
    }

    /// Several messages sent as one. Named after the oldest, so that a repeat has the same name.
    static func digest(of first: NudgeIdentity) -> NudgeIdentity {
        NudgeIdentity(kind: .message, key: Self.digestPrefix + first.key, slot: nil)
    }

    /// The id of its row. nil: a check-in or a digest, which has none.
    var rowID: UUID? { kind == .checkIn ? nil : UUID(uuidString: key) }

    private static let digestPrefix = "digest:"

    /// Whether it is a digest.
    package var isDigest: Bool { kind == .message && key.hasPrefix(Self.digestPrefix) }
}
