extension PosixRule {
    /// Parses a TZ string, such as `CET-1CEST,M3.5.0,M10.5.0/3` or `<-03>3`.
    init(parsing text: some Sequence<UInt8>) throws(TimeZoneError) {
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
        guard scanner.isAtEnd else { throw scanner.error }
        daylight = Daylight(offset: daylightOffset, start: start, end: end)
    }
}

/// Reads the parts of a TZ string.
private struct RuleScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var error: TimeZoneError { TimeZoneError(.malformed, "the footer is not a TZ string") }
    var isAtEnd: Bool { position == bytes.count }
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let current, UInt32(current) == character.value else { return false }
        position += 1
        return true
    }

    /// Three or more letters, or `<…>` with digits and signs too. The name itself is not used.
    mutating func name() throws(TimeZoneError) {
        let isQuoted = skip("<")
        let start = position
        while let current, Self.isNamed(current, isQuoted: isQuoted) { position += 1 }
        guard position - start >= 3, !isQuoted || skip(">") else { throw error }
    }

    private static func isNamed(_ byte: UInt8, isQuoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
        default: false
        }
    }

    mutating func number(_ range: ClosedRange<Int>) throws(TimeZoneError) -> Int {
        let start = position
        var value = 0
        while let current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(current), position - start < 3 {
            value = value * 10 + Int(current - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, range.contains(value) else { throw error }
        return value
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func duration(hours: ClosedRange<Int>) throws(TimeZoneError) -> Int {
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
    mutating func moment() throws(TimeZoneError) -> YearlyMoment {
        guard skip(",") else { throw error }
        let day: YearlyMoment.Day
        if skip("J") {
            day = .julian(try number(1...365))
        } else if skip("M") {
            let month = try number(1...12)
            guard skip(".") else { throw error }
            let week = try number(1...5)
            guard skip(".") else { throw error }
            day = .weekday(month: month, week: week, day: try number(0...6))
        } else {
            day = .ordinal(try number(0...365))
        }
        // The default is two o'clock. RFC 9636, section 3.3.1, extends the hours to a week in both directions.
        let time = skip("/") ? try duration(hours: 0...167) : 7200
        return YearlyMoment(day: day, time: time)
    }
}
