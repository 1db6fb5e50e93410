public import TimeZones

/// A recurrence rule: the part of RFC 5545, 3.3.10, that reminders support.
///
/// A rule counts in wall time from its first occurrence. The first one always counts, even if the rule would not choose
/// it. The RFC leaves this case open, and calendars show it.
public struct Recurrence: Sendable, Hashable {
    /// The unit of INTERVAL, in which the days are chosen.
    public enum Frequency: String, Sendable, CaseIterable {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
    }

    public enum End: Sendable, Hashable {
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

/// A weekday of a recurrence: each one, or a numbered one of the month.
public struct RecurrenceDay: Sendable, Hashable, Comparable {
    /// 1 (Monday) to 7.
    public let weekday: Int
    /// Its number in the month: 1 to 5, or -1 (the last) to -5. nil: each.
    public let ordinal: Int?

    init(_ weekday: Int, ordinal: Int? = nil) { (self.weekday, self.ordinal) = (weekday, ordinal) }

    static let codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// Sorts by weekday: each one, then those from the month's start, then those from its end.
    public static func < (left: Self, right: Self) -> Bool { (left.weekday, left.place) < (right.weekday, right.place) }

    private var place: Int { ordinal.map { $0 > 0 ? $0 : 20 + $0 } ?? 0 }

    /// Such as `Mon`.
    var name: String { Self.names[weekday - 1] }
}

extension Recurrence {
    /// The rule as text for a person, such as `every 2 weeks on Mon and Fri, until 2026-12-31`.
    public var text: String {
        let unit =
            switch frequency {
            case .daily: "day"
            case .weekly: "week"
            case .monthly: "month"
            }
        let every = interval == 1 ? "every \(unit)" : "every \(interval) \(unit)s"
        return every + dayText + weekStartText + endText
    }

    /// With MONTHLY: `every Mon and the last Fri`.
    private var dayText: String {
        func named(_ each: String) -> [String] {
            weekdays.map { "\($0.ordinal == nil ? each : "the") \(Self.text($0))" }
        }
        if monthDays.isEmpty {
            let days = frequency == .monthly ? named("every") : weekdays.map(\.name)
            return days.isEmpty ? "" : " on " + days.listed("and")
        }
        let days = monthDays.sorted { Self.place($0) < Self.place($1) }.map(Self.text).listed("and")
        // DAILY selects among all days, so "of the month" is needed.
        let place = " on the \(days)" + (frequency == .monthly ? "" : " of the month")
        return weekdays.isEmpty ? place : place + " if it is " + named("a").listed("or")
    }

    private static func text(_ day: RecurrenceDay) -> String {
        guard let ordinal = day.ordinal else { return day.name }
        return "\(text(ordinal, last: "last")) \(day.name)"
    }

    private static func text(_ monthDay: Int) -> String { text(monthDay, last: "last day") }

    /// `1st`, `last`, `2nd to last`.
    private static func text(_ number: Int, last: String) -> String {
        if number == -1 { return last }
        return number < 0 ? "\(ordinal(-number)) to last" + (last == "last" ? "" : " day") : ordinal(number)
    }

    private static func place(_ monthDay: Int) -> Int { monthDay > 0 ? monthDay : 100 + monthDay }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 100, number % 10) {
        case (11...13, _): "\(number)th"
        case (_, 1): "\(number)st"
        case (_, 2): "\(number)nd"
        case (_, 3): "\(number)rd"
        default: "\(number)th"
        }
    }

    /// The start of a week matters only if weeks are left out.
    private var weekStartText: String {
        guard frequency == .weekly, interval > 1, weekStart != 1 else { return "" }
        return ", weeks from \(RecurrenceDay(weekStart).name) on"
    }

    private var endText: String {
        switch end {
        case .never: ""
        case .count(let count): count == 1 ? ", once" : ", \(count) times"
        case .date(let date): ", until \(date.iso)"
        case .local(let time): ", until \(String(time.iso.map { $0 == "T" ? " " : $0 }))"
        case .instant(let instant): ", until \(instant.rfc3339)"
        }
    }
}

extension [String] {
    /// `a, b and c`
    package func listed(_ conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }
}
