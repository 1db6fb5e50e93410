package import JSON

/// The user's `notification_preferences`, decoded once.
///
/// For check-ins a malformed value counts as a whole (`malformed` says why); for messages and reminders each key stands alone, and the properties
/// hold what remains: an invalid key counts as absent, a badly written opt-out as one.
public struct Preferences: Sendable, Equatable {
    /// Whether the column is null: never opted in.
    public internal(set) var isNull = false
    /// Why the value counts as no opt-in to check-ins: the key and what is wanted there, never what was written. Nil: well-formed.
    public internal(set) var malformed: String?
    /// Whether check-ins are wanted; nil where absent or invalid.
    public internal(set) var checkInsEnabled: Bool?
    /// How often; nil where absent or invalid.
    public internal(set) var frequency: Frequency?
    /// The zone's name as written; it may be none.
    public internal(set) var timezone: String?
    /// The chosen wall time of check-ins.
    public internal(set) var checkInTime: TimeOfDay?
    /// The chosen anchor of weekly check-ins, 1 (Monday) to 7.
    public internal(set) var weekday: Int?
    /// The user's own quiet hours; equal halves say that there are none, nil that the rules' hold.
    public internal(set) var quietHours: QuietHours?
    /// Words that make a message urgent.
    public internal(set) var priorityKeywords: [String] = []
    /// Whether urgent messages pass quiet hours; default true.
    public internal(set) var allowUrgent = true
    /// The user's own limit in 3,600 s, 1 or more.
    public internal(set) var maxPerHour: Int64?
    /// The user's own limit in 86,400 s, 1 or more.
    public internal(set) var maxPerDay: Int64?
    /// Whether messages and reminders are wanted; default true.
    public internal(set) var messagesEnabled = true
    /// For the decision service: analyses an hour, 5 to 20; default 10.
    public internal(set) var maxAnalysesPerHour = Self.defaultMaxAnalysesPerHour
    /// For the decision service: what it does where it cannot analyse; default simple rules.
    public internal(set) var fallbackStrategy = FallbackStrategy.simpleRules

    static let defaultMaxAnalysesPerHour = 10

    /// Decodes the column's value; nil is SQL's null.
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

    /// A longer text is nobody's wishes: it is not read. In characters, as PostgreSQL counts them.
    public static let longest = 65_536

    /// Decodes the column's text; nil is SQL's null. A text that is no JSON, or longer than `longest`, counts as a value that is no object.
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
