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

/// A local time in whole minutes, 00:00 to 23:59.
public struct TimeOfDay: Sendable, Hashable, CustomStringConvertible {
    /// Minutes after midnight, 0 to 1439.
    public let minutes: Int

    /// Reads `HH:MM` in ASCII digits. Nil for any other text.
    public init?(_ text: String) {
        var text = text
        let minutes = text.withUTF8 { bytes -> Int? in
            guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
                let hour = CivilDate.decimal(bytes[..<2]), hour < 24,
                let minute = CivilDate.decimal(bytes[3...]), minute < 60
            else { return nil }
            return hour * 60 + minute
        }
        guard let minutes else { return nil }
        self.minutes = minutes
    }

    /// - Parameter minutes: minutes after midnight. The result is nil outside 0 to 1439.
    public init?(minutes: Int) {
        guard (0..<1440).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    /// A whole hour. The caller must pass 0 to 23; it is not checked.
    package init(hour: Int) { minutes = hour * 60 }

    /// Seconds after midnight.
    public var seconds: Int64 { Int64(minutes) * 60 }

    /// The time as `HH:MM`.
    public var description: String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

/// Local times between which a user gets no nudges. They pass midnight if the end is not after the start.
public struct QuietHours: Sendable, Equatable, CustomStringConvertible {
    /// The first quiet minute.
    public let start: TimeOfDay
    /// The first minute after the quiet hours. Equal to the start: no quiet hours.
    public let end: TimeOfDay

    /// Quiet from `start` until `end`. Equal times mean no quiet hours.
    public init(start: TimeOfDay, end: TimeOfDay) { (self.start, self.end) = (start, end) }

    /// Whether start and end are equal, which means no quiet hours.
    public var isNone: Bool { start == end }

    /// Start and end, such as `22:00-08:00`.
    public var description: String { "\(start)-\(end)" }
}

/// How often a user wants check-ins (docs/POLICY.md, "Check-ins").
public enum Frequency: String, Sendable, CaseIterable {
    /// Once each local day.
    case daily
    /// At most three in seven local days, never on two days in a row.
    case fewTimesAWeek = "few_times_a_week"
    /// Once a week, on the chosen weekday or one of the two days after it.
    case weekly
}

/// What happens to a nudge if the decision service gives no answer (docs/DECISION.md).
public enum FallbackStrategy: String, Sendable, CaseIterable {
    /// Sends urgent messages, mentions, check-ins and reminders. Drops other messages. A message with one of the user's
    /// keywords is urgent.
    case simpleRules = "simple_rules"
    /// Sends everything that the rules allow.
    case notifyAll = "notify_all"
    /// Sends nothing.
    case suppressAll = "suppress_all"
}

/// Checks the form of a time zone's name (docs/POLICY-SPEC.md, "Zone"). Whether the zone exists depends on the daemon's
/// time-zone files.
public enum ZoneName {
    /// Whether the daemon can take this name: `UTC` or another name of it (`GMT`, `UCT`, `Universal`, `Zulu`,
    /// `Greenwich`), or parts of `[A-Za-z0-9_+-]` that are separated by `/`. At most 255 bytes.
    ///
    /// At least two parts, none empty; the first is neither `posix` nor `right`. Names such as `CET`, `EST5EDT` and
    /// `UTC+3` are refused, although many systems know them.
    public static func isWellFormed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1 else { return namesOfUTC.contains { name.utf8.elementsEqual($0.utf8) } }
        guard name.utf8.count <= 255, !parts.contains(where: { $0.isEmpty || !$0.allSatisfy(isNamed) }) else {
            return false
        }
        return !["posix", "right"].contains { parts[0].elementsEqual($0.utf8) }
    }

    package static let namesOfUTC = ["UTC", "GMT", "UCT", "Universal", "Zulu", "Greenwich"]

    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
