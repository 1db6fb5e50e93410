package import JSON

#if !hasFeature(Embedded)
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
    import NudgedPreferences
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

    extension Date {
        /// Reads an instant as PostgreSQL writes it in JSON, such as `2026-11-24T09:00:00.25+01:00`, or RFC 3339. Of the
        /// years 1 to 9999: nudged takes no other.
        init?(instant text: String) {
            let rest = text.dropFirst(19)
            let offsets = rest.drop { !"+-".contains($0) }.dropFirst().split(separator: ":").map { UInt8($0) }
            guard !offsets.contains(nil), let second = UTCSecond("\(text.prefix(19))Z"),
                let zone = rest.firstIndex(where: { "+-Z".contains($0) }), zone == rest.startIndex || rest.first == ".",
                let fraction = zone == rest.startIndex ? 0 : Double("0\(rest[..<zone])")
            else { return nil }
            let offset = zip(offsets, [3600, 60, 1]).reduce(0) { $0 + Int64($1.0 ?? 0) * $1.1 }
            let seconds = rest[zone] == "-" ? second.seconds + offset : second.seconds - offset
            self.init(timeIntervalSince1970: Double(seconds) + fraction)
        }

        /// The first whole second that is not before this, as `YYYY-MM-DDTHH:MM:SSZ`. Within the years 1 to 9999.
        var instant: String {
            let range = UTCSecond.range
            let seconds = timeIntervalSince1970.rounded(.up)
            let isBefore = seconds < Double(range.lowerBound)
            let bound = isBefore ? range.lowerBound : range.upperBound
            // Also what is no number.
            let isInside = !isBefore && seconds <= Double(range.upperBound)
            return UTCSecond(seconds: isInside ? Int64(seconds) : bound)?.description ?? ""
        }
    }

    /// A reminder that the signed-in user sets for themselves (docs/SQL.md, "Set a reminder").
    public struct OwnReminder: Sendable, Equatable {
        /// What it is about. A user has one reminder of their own per subject.
        public var subject: Subject
        /// The title. One of title and body may be empty.
        public var title: String
        /// The text.
        public var body: String
        /// The instant. Nil: `dueLocal` is given.
        public var dueAt: Date?
        /// The time on the user's clock, wherever they are then, such as `2026-11-24T09:00:00`. Nil: `dueAt` is given.
        public var dueLocal: String?
        /// How it repeats, such as `FREQ=WEEKLY;BYDAY=MO`. Nil: once.
        public var recurrence: String?
        /// The zone of `dueLocal` and of the recurrence. Nil: the user's.
        public var timezone: String?
        /// How the phone shows it: an object (docs/SQL.md). Nil: as usual.
        public var apns: EncodableJSON?

        /// Give one of `dueAt` and `dueLocal`.
        public init(
            subject: Subject,
            title: String,
            body: String = "",
            dueAt: Date? = nil,
            dueLocal: String? = nil,
            recurrence: String? = nil,
            timezone: String? = nil,
            apns: EncodableJSON? = nil
        ) {
            self.subject = subject
            self.title = title
            self.body = body
            self.dueAt = dueAt
            self.dueLocal = dueLocal
            self.recurrence = recurrence
            self.timezone = timezone
            self.apns = apns
        }
    }
#endif

/// A JSON value for a client that takes an `Encodable`, such as supabase-swift: the named parameters of a call.
public struct EncodableJSON: Sendable, Equatable {
    package let value: JSONValue

    package init(_ value: JSONValue) {
        self.value = value
    }

    /// Reads a JSON text (RFC 8259), such as that of `PreferencesDraft.encoded(over:)`.
    ///
    /// - Returns: nil if the text is no JSON.
    public init?(parsing text: String) {
        guard let value = try? JSONValue(parsing: text) else { return nil }
        self.value = value
    }

    /// The value as JSON, for a client that sends the body itself.
    public var text: String { value.document }
}

#if !hasFeature(Embedded)
    extension EncodableJSON: Encodable {
        /// Encodes the value itself: an object becomes an object.
        public func encode(to encoder: any Encoder) throws {
            switch value {
            case .object(let object):
                var container = encoder.container(keyedBy: Key.self)
                for member in object.members {
                    try container.encode(EncodableJSON(member.value), forKey: Key(stringValue: member.key))
                }
            case .array(let elements):
                var container = encoder.unkeyedContainer()
                for element in elements { try container.encode(EncodableJSON(element)) }
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .bool(let bool):
                var container = encoder.singleValueContainer()
                try container.encode(bool)
            case .int(let int):
                var container = encoder.singleValueContainer()
                try container.encode(int)
            case .number(let number):
                var container = encoder.singleValueContainer()
                try container.encode(number)
            case .string(let string):
                var container = encoder.singleValueContainer()
                try container.encode(string)
            }
        }

        /// Any key.
        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) {
                self.stringValue = stringValue
            }

            init?(intValue: Int) {
                return nil
            }
        }
    }
#endif
