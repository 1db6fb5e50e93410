/// The keys of `notification_preferences`, in the order of docs/POLICY.md, "Preferences".
public enum PreferenceKey: String, Sendable, CaseIterable {
    case checkInsEnabled = "check_ins_enabled"
    case frequency
    case timezone
    case checkInTime = "check_in_time"
    case weekday
    case quietHoursStart = "quiet_hours_start"
    case quietHoursEnd = "quiet_hours_end"
    case quietHoursByDay = "quiet_hours_by_day"
    case mutedUntil = "muted_until"
    case priorityKeywords = "priority_keywords"
    case allowUrgent = "allow_urgent"
    case maxPerHour = "max_per_hour"
    case maxPerDay = "max_per_day"
    case messagesEnabled = "messages_enabled"
    case remindersEnabled = "reminders_enabled"
    case categories
    case smartEnabled = "smart_enabled"
    case maxAnalysesPerHour = "max_analyses_per_hour"
    case fallbackStrategy = "fallback_strategy"
    case pauseThresholdSeconds = "pause_threshold_seconds"
    case activeConversationThreshold = "active_conversation_threshold"

    /// A description of the values that the key takes, in English.
    public var wanted: String {
        switch self {
        case .checkInsEnabled, .allowUrgent, .messagesEnabled, .remindersEnabled, .smartEnabled: "true or false"
        case .frequency: "daily, few_times_a_week or weekly"
        case .timezone: "a string"
        case .checkInTime, .quietHoursStart, .quietHoursEnd: "HH:MM"
        case .quietHoursByDay: "an object: 1 (Monday) to 7 to start and end as HH:MM, or to null"
        case .mutedUntil: "an instant as 2026-05-07T04:38:44Z"
        case .weekday: "1 (Monday) to 7"
        case .priorityKeywords: "an array of strings"
        case .maxPerHour, .maxPerDay: "an integer of 1 or more"
        case .categories: "an object: names to true or false"
        case .maxAnalysesPerHour: "5 to 20"
        case .pauseThresholdSeconds: "60 to 300"
        case .activeConversationThreshold: "10 to 50"
        case .fallbackStrategy: "simple_rules, notify_all or suppress_all"
        }
    }

    /// The integers that the key takes. Nil if it takes none.
    package var range: ClosedRange<Int64>? {
        switch self {
        case .weekday: 1...7
        case .maxPerHour, .maxPerDay: 1...Int64.max
        case .maxAnalysesPerHour: 5...20
        case .pauseThresholdSeconds: 60...300
        case .activeConversationThreshold: 10...50
        default: nil
        }
    }
}

/// One error in preferences: the key and the expected value, never the value that was found.
public struct PreferenceProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key with the error.
    public let key: PreferenceKey
    /// The expected value, in English.
    public let wanted: String

    /// - Parameter wanted: nil: the description that the key has in every case.
    package init(_ key: PreferenceKey, wanted: String? = nil) { (self.key, self.wanted) = (key, wanted ?? key.wanted) }

    /// One half of the quiet hours is missing.
    package init(missing half: PreferenceKey, beside other: PreferenceKey) {
        self.init(half, wanted: "\(half.wanted) beside \(other.rawValue)")
    }

    /// One line, such as `weekday: wanted 1 (Monday) to 7`.
    public var description: String { "\(key.rawValue): wanted \(wanted)" }
}
