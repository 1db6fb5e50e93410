import NudgedPreferences
public import TimeZones

extension Recurrence {
    public struct Occurrence: Sendable, Hashable {
        /// 1 for the first occurrence.
        public let number: Int
        public let time: LocalDateTime

        public init(number: Int, time: LocalDateTime) { (self.number, self.time) = (number, time) }
    }

    /// The most days from one occurrence to the next: 100 years. If a rule has none in this time, it has ended. A
    /// search looks at most at each of these days.
    private static let horizon = 36_525

    /// The next occurrence. nil: none. An UNTIL that is an instant is not checked here: it needs a zone.
    ///
    /// - Parameters:
    ///   - occurrence: the last one.
    ///   - start: the wall time of the first one.
    public func next(after occurrence: Occurrence, start: LocalDateTime) -> Occurrence? {
        if case .count(let count) = end, occurrence.number >= count { return nil }
        // A rule has at most one occurrence a day, at the first one's time of day.
        let isToday = occurrence.time.secondOfDay < start.secondOfDay
        let from = max(isToday ? occurrence.time.date : occurrence.time.date + 1, start.date)
        guard let last = LocalDate(year: 9999, month: 12, day: 31),
            let date = firstDate(from: from, through: min(from - 1 + Self.horizon, last), start: start.date)
        else { return nil }
        let time = LocalDateTime(date, secondOfDay: start.secondOfDay)
        switch end {
        case .date(let last) where date > last: return nil
        case .local(let last) where time > last: return nil
        default: return Occurrence(number: occurrence.number + 1, time: time)
        }
    }

    /// The first date in a span that the rule chooses. The span does not begin before the start.
    private func firstDate(from: LocalDate, through last: LocalDate, start: LocalDate) -> LocalDate? {
        var date = from
        while date <= last {
            let (periods, days) = periods(from: start, to: date)
            let beyond = periods % interval
            if beyond == 0, chooses(date, start: start) { return date }
            // The periods that INTERVAL leaves out are skipped, except this date's and the last one.
            date = date + 1 + (beyond == 0 ? 0 : (interval - beyond - 1) * days)
        }
        return nil
    }

    /// How many days, weeks or months a date's one is after the start's, and how many days each of these has at least.
    private func periods(from start: LocalDate, to date: LocalDate) -> (count: Int, days: Int) {
        switch frequency {
        case .daily: return (date - start, 1)
        case .weekly: return ((date - start + (start.isoWeekday - weekStart + 7) % 7) / 7, 7)
        case .monthly:
            let (first, last) = (start.civil, date.civil)
            return ((last.year - first.year) * 12 + last.month - first.month, 28)
        }
    }

    /// Whether the rule chooses a date of a day, week or month that counts.
    private func chooses(_ date: LocalDate, start: LocalDate) -> Bool {
        let (year, month, day) = date.civil
        guard !weekdays.isEmpty || !monthDays.isEmpty else {
            return switch frequency {
            case .daily: true
            case .weekly: date.isoWeekday == start.isoWeekday
            case .monthly: day == start.civil.day
            }
        }
        // -1 is the month's last day.
        let fromEnd = day - CivilDate.length(ofMonth: month, year: year) - 1
        guard monthDays.isEmpty || monthDays.contains(where: { $0 == day || $0 == fromEnd }) else { return false }
        let weekday = date.isoWeekday
        let isNamed = weekdays.contains { named in
            named.weekday == weekday
                && (named.ordinal.map { $0 == (day + 6) / 7 || $0 == (fromEnd - 6) / 7 } ?? true)
        }
        return weekdays.isEmpty || isNamed
    }

    /// The next occurrence in a zone after an instant. nil: none. Occurrences before the instant are skipped but count
    /// for COUNT, so a user who was away for a week gets one reminder, not seven.
    ///
    /// A wall time in a gap is due at the transition. A wall time in an overlap is due at its first instant.
    ///
    /// - Parameters:
    ///   - occurrence: the last one.
    ///   - start: the wall time of the first one.
    ///   - than: the last one's instant, or now, whichever is later.
    public func next(
        after occurrence: Occurrence,
        start: LocalDateTime,
        in zone: Zone,
        later than: Instant
    ) -> (occurrence: Occurrence, instant: Instant)? {
        var last = occurrence
        while let next = next(after: last, start: start) {
            let instant = zone.resolve(next.time, .first)
            if case .instant(let until) = end, instant > until { return nil }
            if instant > than { return (next, instant) }
            last = next
        }
        return nil
    }
}
