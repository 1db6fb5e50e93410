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
    /// search takes at most 36,525 steps: days, weeks or months, each INTERVAL apart.
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

    /// The first date in a span that matches the rule. The span does not begin before the start.
    private func firstDate(from: LocalDate, through last: LocalDate, start: LocalDate) -> LocalDate? {
        guard from <= last else { return nil }
        return switch frequency {
        case .daily: firstDay(from: from, through: last, start: start)
        case .weekly: firstDayOfWeeks(from: from, through: last, start: start)
        case .monthly: firstDayOfMonths(from: from, through: last, start: start)
        }
    }

    private func firstDay(from: LocalDate, through last: LocalDate, start: LocalDate) -> LocalDate? {
        var date = start + Self.roundedUp(from - start, interval)
        while date <= last {
            let isWeekday = weekdays.isEmpty || weekdays.contains { $0.weekday == date.isoWeekday }
            if isWeekday, monthDays.isEmpty || hasMonthDay(date) { return date }
            date = date + interval
        }
        return nil
    }

    private func hasMonthDay(_ date: LocalDate) -> Bool {
        let (day, length) = (date.day, CivilDate.length(ofMonth: date.month, year: date.year))
        return monthDays.contains { $0 == day || $0 == day - length - 1 }
    }

    private func firstDayOfWeeks(from: LocalDate, through last: LocalDate, start: LocalDate) -> LocalDate? {
        let firstWeek = start - Self.place(of: start.isoWeekday, in: weekStart)
        let chosen = weekdays.isEmpty ? [start.isoWeekday] : weekdays.map(\.weekday)
        let places = chosen.map { Self.place(of: $0, in: weekStart) }.sorted()
        var week = firstWeek + Self.roundedUp((from - firstWeek) / 7, interval) * 7
        while week <= last {
            if let date = places.lazy.map({ week + $0 }).first(where: { $0 >= from }) {
                return date <= last ? date : nil
            }
            week = week + interval * 7
        }
        return nil
    }

    /// How many days of a week come before a weekday.
    private static func place(of weekday: Int, in weekStart: Int) -> Int { (weekday - weekStart + 7) % 7 }

    private func firstDayOfMonths(from: LocalDate, through last: LocalDate, start: LocalDate) -> LocalDate? {
        let first = start.year * 12 + start.month - 1
        var month = first + Self.roundedUp(from.year * 12 + from.month - 1 - first, interval)
        while let begin = LocalDate(year: month / 12, month: month % 12 + 1, day: 1), begin <= last {
            let length = CivilDate.length(ofMonth: month % 12 + 1, year: month / 12)
            let chosen = days(ofMonthFrom: begin, length: length, start: start)
            // Bit n is day n + 1. Remove the days before `from`.
            let left = chosen & (.max << UInt32(min(max(from - begin, 0), 31)))
            if left != 0 {
                let date = begin + left.trailingZeroBitCount
                return date <= last ? date : nil
            }
            month += interval
        }
        return nil
    }

    /// The matching days of a month. Bit 0 is the first day.
    private func days(ofMonthFrom begin: LocalDate, length: Int, start: LocalDate) -> UInt32 {
        let all = (1 as UInt32) << UInt32(length) &- 1
        var chosen = all
        if monthDays.isEmpty, weekdays.isEmpty { chosen &= 1 << UInt32(start.day - 1) }
        if !monthDays.isEmpty {
            chosen &= monthDays.reduce(0) { mask, day in
                let index = day > 0 ? day - 1 : length + day
                return index < 0 ? mask : mask | 1 << UInt32(index)
            }
        }
        if !weekdays.isEmpty {
            chosen &= weekdays.reduce(0) { $0 | Self.days($1, firstWeekday: begin.isoWeekday, length: length) }
        }
        return chosen
    }

    private static func days(_ day: RecurrenceDay, firstWeekday: Int, length: Int) -> UInt32 {
        let first = place(of: day.weekday, in: firstWeekday)
        let indices = Array(stride(from: first, to: length, by: 7))
        guard let ordinal = day.ordinal else { return indices.reduce(0) { $0 | 1 << UInt32($1) } }
        let place = ordinal > 0 ? ordinal - 1 : indices.count + ordinal
        return indices.indices.contains(place) ? 1 << UInt32(indices[place]) : 0
    }

    /// The smallest multiple of `step` that is at least `number`, which is 0 or more.
    private static func roundedUp(_ number: Int, _ step: Int) -> Int { (number + step - 1) / step * step }

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
