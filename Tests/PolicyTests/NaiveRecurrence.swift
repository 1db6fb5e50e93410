import TimeZones

@testable import Policy

/// A slow second reading of a rule: each day is asked by itself whether the rule chooses it.
struct NaiveRecurrence {
    let rule: Recurrence
    let start: LocalDateTime

    /// The first occurrences, up to so many days after the start.
    func times(days: Int) -> [LocalDateTime] {
        var times = [start]
        for offset in 1...days {
            let time = LocalDateTime(start.date + offset, secondOfDay: start.secondOfDay)
            switch rule.end {
            case .count(let count) where times.count >= count: return times
            case .date(let last) where time.date > last: return times
            case .local(let last) where time > last: return times
            default: break
            }
            if chooses(time.date) { times.append(time) }
        }
        return times
    }

    private func chooses(_ date: LocalDate) -> Bool {
        let months = (date.year - start.date.year) * 12 + date.month - start.date.month
        let periods =
            switch rule.frequency {
            case .daily: date - start.date
            case .weekly: (firstOfWeek(date) - firstOfWeek(start.date)) / 7
            case .monthly: months
            }
        guard periods % rule.interval == 0 else { return false }
        if rule.weekdays.isEmpty, rule.monthDays.isEmpty {
            switch rule.frequency {
            case .daily: return true
            case .weekly: return date.isoWeekday == start.date.isoWeekday
            case .monthly: return date.day == start.date.day
            }
        }
        return (rule.weekdays.isEmpty || isNamed(date)) && (rule.monthDays.isEmpty || isNumbered(date))
    }

    private func firstOfWeek(_ date: LocalDate) -> LocalDate {
        var day = date
        while day.isoWeekday != rule.weekStart { day = day - 1 }
        return day
    }

    private func isNamed(_ date: LocalDate) -> Bool {
        rule.weekdays.contains { day in
            guard day.weekday == date.isoWeekday else { return false }
            guard let ordinal = day.ordinal else { return true }
            // The n-th such weekday has n - 1 of them before it in its month, the n-th to last as many after it.
            let step = ordinal > 0 ? -7 : 7
            return (1...4).filter { (date + $0 * step).month == date.month }.count == abs(ordinal) - 1
        }
    }

    private func isNumbered(_ date: LocalDate) -> Bool {
        var last = date
        while (last + 1).month == date.month { last = last + 1 }
        return rule.monthDays.contains { $0 == date.day || $0 == date.day - last.day - 1 }
    }
}
