import NudgedPreferences

/// A date of the proleptic Gregorian calendar, as days since 1970-01-01.
public struct LocalDate: Sendable, Hashable, Comparable {
    public var days: Int32

    @inlinable
    public init(days: Int32) { self.days = days }

    /// A date of the calendar. Nil if there is no such day in the years 0001 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard CivilDate.isDay(year: year, month: month, day: day) else { return nil }
        // The largest number of days is 2,932,896.
        self.init(days: Int32(CivilDate.days(year: year, month: month, day: day)))
    }

    /// The date that contains a second of local time, counted from 1970-01-01T00:00.
    init(flooring seconds: Int64) {
        let clamped = Instant(seconds: seconds).clamped
        // At most 180e12 / 86,400 = 2,083,333,333 days, which fits Int32.
        self.init(days: Int32((clamped >= 0 ? clamped : clamped - 86_399) / 86_400))
    }

    @inlinable
    public static func < (left: LocalDate, right: LocalDate) -> Bool { left.days < right.days }

    /// The date this many days later. Saturates.
    @inlinable
    public static func + (date: LocalDate, days: Int) -> LocalDate {
        LocalDate(days: Int32(clamping: Int(date.days).addingReportingOverflow(days).partialValue))
    }

    /// The date this many days earlier. Saturates.
    @inlinable
    public static func - (date: LocalDate, days: Int) -> LocalDate {
        LocalDate(days: Int32(clamping: Int(date.days).subtractingReportingOverflow(days).partialValue))
    }

    @inlinable
    public static func - (left: LocalDate, right: LocalDate) -> Int { Int(left.days) - Int(right.days) }

    /// The day of the week: 1 (Monday) to 7.
    @inlinable
    public var isoWeekday: Int {
        // 1970-01-01 was a Thursday.
        let weekday = (Int(days) + 3) % 7
        return (weekday < 0 ? weekday + 7 : weekday) + 1
    }

    /// The year. 0 is 1 BC.
    public var year: Int { civil.year }
    public var month: Int { civil.month }
    public var day: Int { civil.day }

    package var civil: (year: Int, month: Int, day: Int) { CivilDate.civil(Int(days)) }
}

extension LocalDate {
    /// Reads `YYYY-MM-DD` with years 0001 to 9999. Nil for any other form and for days that don't exist.
    public init?(iso text: String) {
        var text = text
        guard let days = text.withUTF8({ CivilDate.days(iso: $0[...]) }) else { return nil }
        self.init(days: Int32(days))
    }

    /// `YYYY-MM-DD`. A date outside the years 0001 to 9999 is written as the nearest one inside.
    public var iso: String {
        String(unsafeUninitializedCapacity: 10) { bytes in
            CivilDate.write(Int(days), to: bytes)
            return 10
        }
    }
}

/// A wall time: what a calendar and a clock show, without a time zone.
public struct LocalDateTime: Sendable, Hashable, Comparable {
    public var date: LocalDate
    /// The time in seconds after midnight: 0 to 86,399.
    public private(set) var secondOfDay: Int

    /// A wall time. A second outside 0 to 86,399 counts as the nearest one inside.
    public init(_ date: LocalDate, secondOfDay: Int) {
        self.date = date
        self.secondOfDay = min(max(secondOfDay, 0), 86_399)
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS` with years 0001 to 9999. Nil for any other form.
    public init?(iso text: String) {
        guard text.utf8.count == 19, let instant = Instant(rfc3339: text + "Z") else { return nil }
        self.init(asUTC: instant)
    }

    /// What a clock in UTC shows. Statements pass wall times as such instants.
    public init(asUTC instant: Instant) {
        let date = LocalDate(flooring: instant.seconds)
        self.init(date, secondOfDay: Int(instant.clamped - Int64(date.days) * 86_400))
    }

    public var asUTC: Instant { Instant(seconds: Int64(date.days) * 86_400 + Int64(secondOfDay)) }

    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
    }

    /// `YYYY-MM-DDTHH:MM:SS`. A time outside the years 0001 to 9999 is written as the nearest one inside.
    public var iso: String { String(asUTC.rfc3339.dropLast()) }
}
