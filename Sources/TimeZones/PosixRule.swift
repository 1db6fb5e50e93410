import NudgedPreferences

/// A TZ string (POSIX, with RFC 9636's hours of -167 to 167): standard time and, maybe, yearly daylight saving time.
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

    /// The offset at an instant, and a span [from, until) around it in which it holds.
    func segment(at seconds: Int64) -> (offset: Int, from: Int64, until: Int64) {
        guard let daylight else { return (offset, .min, .max) }
        let year = LocalDate(flooring: seconds).year
        // A rule's hours can move a change by a week into another year, so the neighbouring years count too. Two years
        // before are needed: both changes of the last year may still be ahead.
        var before = (at: Int64.min, offset: offset)
        var after = Int64.max
        for year in (year - 2)...(year + 2) {
            // If both changes are at one instant, daylight time counts: all year in `0/0,J365/25` (RFC 9636, 3.3.1).
            for change in [
                (at: daylight.end.seconds(in: year) - Int64(daylight.offset), offset: offset),
                (at: daylight.start.seconds(in: year) - Int64(offset), offset: daylight.offset),
            ] {
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
            let isBehindLeapDay = number >= 60 && CivilDate.isLeap(year)
            days = CivilDate.days(year: year, month: 1, day: 1) + number - 1 + (isBehindLeapDay ? 1 : 0)
        case .ordinal(let number): days = CivilDate.days(year: year, month: 1, day: 1) + number
        case .weekday(let month, let week, let weekday):
            let first = CivilDate.days(year: year, month: month, day: 1)
            let firstWeekday = ((first + 4) % 7 + 7) % 7
            let day = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            days = first + (day < CivilDate.length(ofMonth: month, year: year) ? day : day - 7)
        }
        return Int64(days) * 86_400 + Int64(time)
    }
}

extension PosixRule {
    /// Parses a TZ string, such as `CET-1CEST,M3.5.0,M10.5.0/3` or `<-03>3`.
    init(parsing text: some Sequence<UInt8>) throws(MalformedZone) {
        var scanner = RuleScanner(text)
        try scanner.name()
        // POSIX counts west as positive.
        offset = -(try scanner.duration(hours: 0...24))
        guard !scanner.isAtEnd else {
            daylight = nil
            return
        }
        try scanner.name()
        let daylightOffset =
            scanner.current == UInt8(ascii: ",") ? offset + 3600 : -(try scanner.duration(hours: 0...24))
        let start = try scanner.moment()
        let end = try scanner.moment()
        guard scanner.isAtEnd else { throw MalformedZone() }
        daylight = Daylight(offset: daylightOffset, start: start, end: end)
    }
}

private struct RuleScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { position == bytes.count }
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let current, UInt32(current) == character.value else { return false }
        position += 1
        return true
    }

    /// Three or more letters, or `<…>` with digits and signs too. The name itself is not used.
    mutating func name() throws(MalformedZone) {
        let isQuoted = skip("<")
        let name = bytes[position...].prefix { Self.isNamed($0, isQuoted: isQuoted) }
        position = name.endIndex
        guard name.count >= 3, !isQuoted || skip(">") else { throw MalformedZone() }
    }

    private static func isNamed(_ byte: UInt8, isQuoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
        default: false
        }
    }

    mutating func number(_ range: ClosedRange<Int>) throws(MalformedZone) -> Int {
        let digits = bytes[position...].prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let value = CivilDate.decimal(digits), range.contains(value) else { throw MalformedZone() }
        position = digits.endIndex
        return value
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func duration(hours: ClosedRange<Int>) throws(MalformedZone) -> Int {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        var seconds = try number(hours) * 3600
        if skip(":") {
            seconds += try number(0...59) * 60
            if skip(":") { seconds += try number(0...59) }
        }
        return isNegative ? -seconds : seconds
    }

    /// `,Jn`, `,n` or `,Mm.w.d`, each with an optional `/time`.
    mutating func moment() throws(MalformedZone) -> YearlyMoment {
        guard skip(",") else { throw MalformedZone() }
        let day: YearlyMoment.Day
        if skip("J") {
            day = .julian(try number(1...365))
        } else if skip("M") {
            let month = try number(1...12)
            guard skip(".") else { throw MalformedZone() }
            let week = try number(1...5)
            guard skip(".") else { throw MalformedZone() }
            day = .weekday(month: month, week: week, day: try number(0...6))
        } else {
            day = .ordinal(try number(0...365))
        }
        // The default is two o'clock. RFC 9636, section 3.3.1, extends the hours to a week in both directions.
        let time = skip("/") ? try duration(hours: 0...167) : 7200
        return YearlyMoment(day: day, time: time)
    }
}
