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
