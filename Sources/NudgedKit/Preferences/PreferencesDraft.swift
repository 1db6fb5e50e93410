/// Preferences as a settings screen edits them. They are checked as a whole and written by `encoded(over:)`.
public struct PreferencesDraft: Sendable, Equatable {
    /// Whether check-ins are wanted.
    public var checkInsEnabled = false
    /// How often.
    public var frequency = Frequency.daily
    /// The zone that the wall times are meant in: `UTC` or a name as `Europe/Paris`; nil: the profile's.
    public var timezone: String?
    /// The wall time of check-ins; nil: the operator's.
    public var checkInTime: TimeOfDay?
    /// The anchor of weekly check-ins, 1 (Monday) to 7; nil: one is chosen.
    public var weekday: Int?
    /// The first quiet minute; both halves of the quiet hours or neither; nil: the operator's.
    public var quietHoursStart: TimeOfDay?
    /// The first minute that is quiet no more; equal to the start: there are no quiet hours.
    public var quietHoursEnd: TimeOfDay?
    /// Words that make a message urgent.
    public var priorityKeywords: [String] = []
    /// Whether urgent messages pass quiet hours.
    public var allowUrgent = true
    /// Nudges in any 3,600 s, 1 or more; nil: the operator's limit.
    public var maxPerHour: Int64?
    /// Nudges in any 86,400 s, 1 or more; nil: the operator's limit.
    public var maxPerDay: Int64?
    /// Whether messages and reminders are wanted.
    public var messagesEnabled = true
    /// For the decision service: analyses an hour, 5 to 20.
    public var maxAnalysesPerHour = Preferences.defaultMaxAnalysesPerHour
    /// For the decision service: what it does where it cannot analyse.
    public var fallbackStrategy = FallbackStrategy.simpleRules

    /// No check-ins, and every default of the schema.
    public init() {}

    /// What is in force with these preferences. Malformed ones count as no opt-in, so check-ins are off, and what was invalid is unset.
    public init(_ preferences: Preferences) {
        checkInsEnabled = preferences.malformed == nil && preferences.checkInsEnabled ?? false
        frequency = preferences.frequency ?? .daily
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
        maxAnalysesPerHour = preferences.maxAnalysesPerHour
        fallbackStrategy = preferences.fallbackStrategy
    }
}
