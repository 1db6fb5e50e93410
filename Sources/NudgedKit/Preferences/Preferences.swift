package import JSON

/// A user's `notification_preferences`, decoded (docs/POLICY.md, "Preferences").
///
/// One invalid key stops check-ins: they count as not opted in, and `malformed` says why. For messages and reminders
/// each key counts alone: an invalid key is absent, and an invalid opt-out counts as an opt-out.
public struct Preferences: Sendable, Equatable {
    /// Whether the column is null: the user never opted in.
    public internal(set) var isNull = false
    /// The first error, which stops check-ins: the key and the expected value, never the value that was found. Nil if
    /// the preferences are well formed.
    public internal(set) var malformed: String?
    /// Whether the user wants check-ins. Nil if absent or invalid.
    public internal(set) var checkInsEnabled: Bool?
    /// How often the user wants check-ins. Nil if absent or invalid.
    public internal(set) var frequency: Frequency?
    /// The zone of the times below, as it was written. It may be no valid name; see `ZoneName`. Nil: the profile's zone
    /// counts.
    public internal(set) var timezone: String?
    /// The local time of check-ins. Nil: the operator's time.
    public internal(set) var checkInTime: TimeOfDay?
    /// The day of weekly check-ins, 1 (Monday) to 7 as in ISO 8601. Nil: nudged chooses one.
    public internal(set) var weekday: Int?
    /// The user's quiet hours. Equal start and end mean none. Nil: the operator's quiet hours.
    public internal(set) var quietHours: QuietHours?
    /// Keywords that make a message urgent.
    public internal(set) var priorityKeywords: [String] = []
    /// Whether urgent messages may be sent in quiet hours. Default: true.
    public internal(set) var allowUrgent = true
    /// The most nudges in any 3,600 s, 1 or more. Nil: the operator's limit. If both are set, the smaller counts.
    public internal(set) var maxPerHour: Int64?
    /// The most nudges in any 86,400 s, 1 or more. Nil: the operator's limit. If both are set, the smaller counts.
    public internal(set) var maxPerDay: Int64?
    /// Whether the user wants messages and reminders. Default: true.
    public internal(set) var messagesEnabled = true
    /// Whether the user lets the decision service read the texts of their nudges. Anything but true is false.
    public internal(set) var smartEnabled = false
    /// The most questions to the decision service for this user in 3,600 s, 5 to 20. Default: 10.
    public internal(set) var maxAnalysesPerHour = Self.defaultMaxAnalysesPerHour
    /// What happens if the decision service gives no answer. Default: `simpleRules`.
    public internal(set) var fallbackStrategy = FallbackStrategy.simpleRules

    static let defaultMaxAnalysesPerHour = 10

    /// Decodes the column's parsed value. Nil: the column is null.
    package init(json: JSONValue?) {
        switch json {
        case nil, .null?:
            isNull = true
        case .object(let object)?:
            decode(object)
        case let value?:
            malformed = "found \(value.typeName), wanted an object"
            allowUrgent = false
        }
    }

    /// The most Unicode scalars (PostgreSQL's characters) of a text that is read.
    public static let longest = 65_536

    /// Decodes the column's text. Nil: the column is null.
    ///
    /// A text that is no JSON (RFC 8259), or that has more than `longest` characters, counts as a value that is no
    /// object.
    public init(parsing text: String?) {
        guard let text else {
            self.init(json: nil)
            return
        }
        guard text.utf8.count <= Self.longest || text.unicodeScalars.count <= Self.longest else {
            self.init(json: .bool(false))
            malformed = "longer than 65,536 characters"
            return
        }
        do throws(JSONError) {
            self.init(json: try JSONValue(parsing: text))
        } catch {
            self.init(json: .bool(false))
            malformed = "found no JSON, wanted an object"
        }
    }
}
