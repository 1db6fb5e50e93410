/// Preferences as a settings screen edits them. `problems` checks them, `encoded(over:)` writes them.
public struct PreferencesDraft: Sendable, Equatable {
    /// Whether the user wants check-ins.
    public var checkInsEnabled = false
    /// How often the user wants check-ins.
    public var frequency = Frequency.fewTimesAWeek
    /// The zone of the times below: `UTC` or a name such as `Europe/Paris`. Nil: the profile's zone.
    public var timezone: String?
    /// The local time of check-ins. Nil: the operator's time.
    public var checkInTime: TimeOfDay?
    /// The day of weekly check-ins, 1 (Monday) to 7 as in ISO 8601. Nil: nudged chooses one.
    public var weekday: Int?
    /// The first quiet minute. Set both halves of the quiet hours or neither. Nil: the operator's quiet hours.
    public var quietHoursStart: TimeOfDay?
    /// The first minute after the quiet hours. Equal to the start: no quiet hours.
    public var quietHoursEnd: TimeOfDay?
    /// Keywords that make a message urgent.
    public var priorityKeywords: [String] = []
    /// Whether urgent messages may be sent in quiet hours.
    public var allowUrgent = true
    /// The most nudges in any 3,600 s, 1 or more. Nil: the operator's limit.
    public var maxPerHour: Int64?
    /// The most nudges in any 86,400 s, 1 or more. Nil: the operator's limit.
    public var maxPerDay: Int64?
    /// Whether the user wants messages and reminders.
    public var messagesEnabled = true
    /// Whether the user lets the decision service read the texts of their nudges.
    public var smartEnabled = false
    /// The most questions to the decision service for this user in 3,600 s, 5 to 20.
    public var maxAnalysesPerHour = Preferences.defaultMaxAnalysesPerHour
    /// What happens if the decision service gives no answer.
    public var fallbackStrategy = FallbackStrategy.simpleRules

    /// No check-ins, and every other key at its default.
    public init() {}

    /// The preferences that are in force. Malformed preferences give a draft without check-ins, and invalid keys are
    /// nil or at their defaults.
    public init(_ preferences: Preferences) {
        checkInsEnabled = preferences.malformed == nil && preferences.checkInsEnabled ?? false
        frequency = preferences.frequency ?? .fewTimesAWeek
        timezone = preferences.timezone
        checkInTime = preferences.checkInTime
        weekday = preferences.weekday
        quietHoursStart = preferences.quietHours?.start
        quietHoursEnd = preferences.quietHours?.end
        priorityKeywords = preferences.priorityKeywords
        allowUrgent = preferences.allowUrgent
        maxPerHour = preferences.maxPerHour
        maxPerDay = preferences.maxPerDay
        messagesEnabled = preferences.messagesEnabled
        smartEnabled = preferences.smartEnabled
        maxAnalysesPerHour = preferences.maxAnalysesPerHour
        fallbackStrategy = preferences.fallbackStrategy
    }
}
