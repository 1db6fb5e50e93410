/// A date of the proleptic Gregorian calendar, as days since 1970-01-01.
public struct LocalDate: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01.
    public var days: Int32

    @inlinable
    public init(days: Int32) {
        self.days = days
    }

    /// A date of the calendar. Nil if there is no such day in the years 0001 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        // The largest number of days is 2,932,896.
        self.init(days: Int32(Self.days(year: year, month: month, day: day)))
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
    /// The month: 1 to 12.
    public var month: Int { civil.month }
    /// The day of the month: 1 to 31.
    public var day: Int { civil.day }
}

/// The calendar's arithmetic. A year starts in March, so that the leap day is its last. An era has 400 years (146,097
/// days).
extension LocalDate {
    static let daysPerEra = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let daysToEpoch = 719_468

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The number of days in a month. The month is 1 to 12.
    public static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - daysToEpoch
    }

    var civil: (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + Self.daysToEpoch
        let era = (shifted >= 0 ? shifted : shifted - (Self.daysPerEra - 1)) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400
        return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
    }
}

extension LocalDate {
    /// Reads `YYYY-MM-DD` with years 0001 to 9999. Nil for any other form and for days that don't exist.
    public init?(iso text: String) {
        var text = text
        let date = text.withUTF8 { LocalDate(iso: $0[...]) }
        guard let date else { return nil }
        self = date
    }

    init?(iso bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        let start = bytes.startIndex
        guard bytes.count == 10, bytes[start + 4] == UInt8(ascii: "-"), bytes[start + 7] == UInt8(ascii: "-"),
            let year = decimal(bytes[start..<start + 4]),
            let month = decimal(bytes[start + 5..<start + 7]),
            let day = decimal(bytes[start + 8..<start + 10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// `YYYY-MM-DD`. A date outside the years 0001 to 9999 is written as the nearest one inside.
    public var iso: String {
        String(unsafeUninitializedCapacity: 10) { bytes in
            write(to: bytes)
            return 10
        }
    }

    /// Writes the ten bytes of `YYYY-MM-DD`.
    func write(to bytes: UnsafeMutableBufferPointer<UInt8>) {
        let inside = min(max(days, -719_162), 2_932_896)
        let (year, month, day) = LocalDate(days: inside).civil
        writeDecimal(year / 100, to: bytes, at: 0)
        writeDecimal(year, to: bytes, at: 2)
        bytes[4] = UInt8(ascii: "-")
        writeDecimal(month, to: bytes, at: 5)
        bytes[7] = UInt8(ascii: "-")
        writeDecimal(day, to: bytes, at: 8)
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
        let date = LocalDate(flooring: instant.seconds)
        self.init(date, secondOfDay: Int(instant.seconds - Int64(date.days) * 86_400))
    }

    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
    }

    /// `YYYY-MM-DDTHH:MM:SS`. A time outside the years 0001 to 9999 is written as the nearest one inside.
    public var iso: String {
        String(Instant(seconds: Int64(date.days) * 86_400 + Int64(secondOfDay)).rfc3339.dropLast())
    }
}

extension Zone {
    /// The instant of a wall time. In a gap it is the instant of the transition, in an overlap `which` decides.
    public func resolve(_ time: LocalDateTime, _ which: Which) -> Instant {
        resolve(time.date, secondOfDay: time.secondOfDay, which)
    }

    /// The wall time at an instant.
    public func localDateTime(at instant: Instant) -> LocalDateTime {
        let (date, secondOfDay) = localTime(at: instant)
        return LocalDateTime(date, secondOfDay: secondOfDay)
    }
}
