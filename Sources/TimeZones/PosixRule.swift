/// A TZ string (POSIX, with RFC 9636's hours of -167 to 167): standard time and, if there is daylight saving time, its
/// start and end in each year.
struct PosixRule: Equatable {
    struct Daylight: Equatable {
        let offset: Int
        /// The change from standard to daylight time, in standard time.
        let start: YearlyMoment
        /// The change back, in daylight time.
        let end: YearlyMoment
    }

    /// Seconds east of UTC in standard time.
    let offset: Int
    let daylight: Daylight?

    /// A change to another offset at an instant.
    struct Change: Equatable {
        let at: Int64
        let offset: Int
    }

    /// The offset at an instant, and a span [from, until) around it in which it holds.
    func segment(at seconds: Int64) -> (offset: Int, from: Int64, until: Int64) {
        guard let daylight else { return (offset, .min, .max) }
        let year = LocalDate(flooring: seconds).year
        // A rule's hours can move a change by a week into another year, so the neighbouring years count too. Two years
        // before are needed: both changes of the last year may still be ahead.
        var before = Change(at: .min, offset: offset)
        var after = Int64.max
        for year in (year - 2)...(year + 2) {
            let changes = (
                Change(at: daylight.start.seconds(in: year) - Int64(offset), offset: daylight.offset),
                Change(at: daylight.end.seconds(in: year) - Int64(daylight.offset), offset: offset)
            )
            // If both changes are at one instant, daylight time counts: `0/0,J365/25` is daylight time all year (RFC
            // 9636, section 3.3.1).
            for change in [changes.1, changes.0] {
                if change.at > seconds {
                    after = min(after, change.at)
                } else if change.at > before.at || (change.at == before.at && change.offset == daylight.offset) {
                    before = change
                }
            }
        }
        return (before.offset, before.at, after)
    }
}

/// A moment that occurs once a year.
struct YearlyMoment: Equatable {
    enum Day: Equatable {
        /// `Jn`: 1 to 365. 29 February is never counted.
        case julian(Int)
        /// `n`: 0 to 365. Leap days are counted.
        case ordinal(Int)
        /// `Mm.w.d`: weekday d (0 = Sunday) of week w (5 = the last) of month m.
        case weekday(month: Int, week: Int, day: Int)
    }

    let day: Day
    /// Seconds after midnight of the day. May be negative.
    let time: Int

    /// This moment in a year, as seconds of local time since 1970-01-01T00:00.
    func seconds(in year: Int) -> Int64 {
        let days: Int
        switch day {
        case .julian(let number):
            let isBehindLeapDay = number >= 60 && LocalDate.isLeap(year)
            days = LocalDate.days(year: year, month: 1, day: 1) + number - 1 + (isBehindLeapDay ? 1 : 0)
        case .ordinal(let number):
            days = LocalDate.days(year: year, month: 1, day: 1) + number
        case .weekday(let month, let week, let weekday):
            let first = LocalDate.days(year: year, month: month, day: 1)
            let firstWeekday = ((first + 4) % 7 + 7) % 7
            let day = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            days = first + (day < LocalDate.length(ofMonth: month, year: year) ? day : day - 7)
        }
        return Int64(days) * 86_400 + Int64(time)
    }
}
