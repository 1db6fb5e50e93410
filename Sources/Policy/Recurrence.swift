public import TimeZones

/// A recurrence rule: the part of RFC 5545, 3.3.10, that reminders support.
///
/// A rule counts in wall time from its first occurrence. The first one always counts, even if the rule would not choose
/// it. The RFC leaves this case open, and calendars show it.
public struct Recurrence: Sendable, Hashable {
    /// The unit of INTERVAL, in which the days are chosen.
    public enum Frequency: String, Sendable, CaseIterable {
        /// Every INTERVAL days.
        case daily = "DAILY"
        /// Days of every INTERVAL weeks.
        case weekly = "WEEKLY"
        /// Days of every INTERVAL months.
        case monthly = "MONTHLY"
    }

    /// When a rule ends.
    public enum End: Sendable, Hashable {
        /// It never ends.
        case never
        /// After this many occurrences, the first included.
        case count(Int)
        /// With the last occurrence on this local date or before.
        case date(LocalDate)
        /// With the last occurrence at this wall time or before.
        case local(LocalDateTime)
        /// With the last occurrence at this instant or before. It needs a zone.
        case instant(Instant)
    }

    /// FREQ.
    public let frequency: Frequency
    /// INTERVAL, 1 to 9999.
    public let interval: Int
    /// BYDAY, ascending, each once. Numbered ones only with `monthly`.
    public let weekdays: [RecurrenceDay]
    /// BYMONTHDAY, ascending, each once: 1 to 31, or -1 (the last) to -31. Empty with `weekly`.
    public let monthDays: [Int]
    /// WKST: the first day of a week, 1 (Monday) to 7.
    public let weekStart: Int
    /// COUNT or UNTIL.
    public let end: End
}

extension Recurrence: CustomStringConvertible {
    /// The rule as RFC 5545 writes it. Parts with their default are left out. Equal rules have equal texts.
    public var description: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        if interval != 1 { parts.append("INTERVAL=\(interval)") }
        if !weekdays.isEmpty { parts.append("BYDAY=\(weekdays.map(\.description).joined(separator: ","))") }
        if !monthDays.isEmpty { parts.append("BYMONTHDAY=\(monthDays.map(String.init).joined(separator: ","))") }
        switch end {
        case .never: break
        case .count(let count): parts.append("COUNT=\(count)")
        case .date(let date): parts.append("UNTIL=\(Self.basic(date.iso))")
        case .local(let time): parts.append("UNTIL=\(Self.basic(time.iso))")
        case .instant(let instant): parts.append("UNTIL=\(Self.basic(instant.rfc3339))")
        }
        if weekStart != 1 { parts.append("WKST=\(RecurrenceDay(weekStart))") }
        return parts.joined(separator: ";")
    }

    /// ISO 8601's basic format, without hyphens and colons.
    private static func basic(_ extended: String) -> String { extended.filter { $0 != "-" && $0 != ":" } }
}

/// A weekday of a recurrence: each one, or a numbered one of the month.
public struct RecurrenceDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 (Monday) to 7.
    public let weekday: Int
    /// Its number in the month: 1 to 5, or -1 (the last) to -5. nil: each.
    public let ordinal: Int?

    /// - Parameter weekday: 1 (Monday) to 7.
    init(_ weekday: Int, ordinal: Int? = nil) {
        self.weekday = weekday
        self.ordinal = ordinal
    }

    static let codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// Sorts by weekday: each one, then those from the month's start, then those from its end.
    public static func < (left: RecurrenceDay, right: RecurrenceDay) -> Bool {
        (left.weekday, left.place) < (right.weekday, right.place)
    }

    private var place: Int { ordinal.map { $0 > 0 ? $0 : 20 + $0 } ?? 0 }

    /// As RFC 5545 writes it: `MO`, `2MO`, `-1FR`.
    public var description: String { (ordinal.map(String.init) ?? "") + Self.codes[weekday - 1] }

    /// Such as `Mon`.
    var name: String { Self.names[weekday - 1] }
}
