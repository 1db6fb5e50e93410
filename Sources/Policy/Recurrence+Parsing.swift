import TimeZones

extension Recurrence {
    /// The most bytes of a rule. A longer one would have to repeat itself.
    private static let longestRule = 500

    /// Reads a rule such as `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR`. The parts are FREQ, INTERVAL, BYDAY, BYMONTHDAY,
    /// COUNT, UNTIL and WKST, in any order, in upper or lower case.
    ///
    /// `nudged_api.recurrence_fault` in SQL refuses the same rules with the same text. Change both together.
    ///
    /// - Throws: the first wrong part from the left, or else a contradiction between parts. The error never contains
    ///   the rule.
    public init(parsing text: String) throws(PolicyError) {
        let bytes = text.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }
        guard !bytes.isEmpty else {
            throw Self.missing("nothing", wanted: "a rule such as FREQ=WEEKLY;BYDAY=MO")
        }
        guard bytes.count <= Self.longestRule else {
            throw Self.wrong(nil, "more than 500 bytes", wanted: "a shorter rule")
        }
        guard !bytes.starts(with: "RRULE:".utf8) else {
            throw Self.wrong(nil, "the prefix RRULE:", wanted: "the rule alone, from FREQ= on")
        }
        var parts = RecurrenceParts()
        for part in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            try parts.read(part)
        }
        self = try parts.checked()
    }

    fileprivate static func missing(
        _ found: String,
        of part: RecurrencePart? = nil,
        wanted: String
    ) -> PolicyError {
        PolicyError(.missing, field: field(part), found: found, wanted: wanted)
    }

    fileprivate static func wrong(_ part: RecurrencePart?, _ found: String, wanted: String) -> PolicyError {
        PolicyError(.outOfRange, field: field(part), found: found, wanted: wanted)
    }

    private static func field(_ part: RecurrencePart?) -> String {
        part.map { "recurrence.\($0.rawValue)" } ?? "recurrence"
    }
}

/// A rule's parts while they are read, in upper case.
private struct RecurrenceParts {
    private var read: Set<RecurrencePart> = []
    private var frequency: Recurrence.Frequency?
    private var interval: Int?
    private var weekdays: [RecurrenceDay]?
    private var monthDays: [Int]?
    private var count: Int?
    private var until: Recurrence.End?
    private var weekStart: Int?

    private typealias Bytes = ArraySlice<UInt8>

    /// Reads one `NAME=VALUE`.
    mutating func read(_ text: ArraySlice<UInt8>) throws(PolicyError) {
        guard let sign = text.firstIndex(of: UInt8(ascii: "=")) else {
            throw Recurrence.missing("a part without =", wanted: "NAME=VALUE parts with ; between them")
        }
        guard let part = RecurrencePart(rawValue: String(decoding: text[..<sign], as: UTF8.self)) else {
            throw Recurrence.wrong(nil, "an unknown part", wanted: RecurrencePart.all)
        }
        guard let wanted = part.wanted else {
            throw Recurrence.wrong(part, "a part that reminders do not have", wanted: RecurrencePart.all)
        }
        guard read.insert(part).inserted else { throw Recurrence.wrong(part, "it twice", wanted: "it once") }
        guard take(part, text[(sign + 1)...]) else { throw Recurrence.wrong(part, "another value", wanted: wanted) }
    }

    /// Checks the parts against each other.
    func checked() throws(PolicyError) -> Recurrence {
        guard let frequency else {
            throw Recurrence.missing("nothing", of: .frequency, wanted: RecurrencePart.frequency.wanted ?? "")
        }
        if count != nil, until != nil { throw Recurrence.wrong(.until, "it beside COUNT", wanted: "one of the two") }
        if monthDays != nil, frequency == .weekly {
            throw Recurrence.wrong(.monthDays, "it with FREQ=WEEKLY", wanted: "FREQ=MONTHLY or FREQ=DAILY")
        }
        if frequency != .monthly, (weekdays ?? []).contains(where: { $0.ordinal != nil }) {
            let found = "a numbered weekday without FREQ=MONTHLY"
            throw Recurrence.wrong(.weekdays, found, wanted: "weekdays alone, or FREQ=MONTHLY")
        }
        return Recurrence(
            frequency: frequency,
            interval: interval ?? 1,
            weekdays: Set(weekdays ?? []).sorted(),
            monthDays: Set(monthDays ?? []).sorted(),
            weekStart: weekStart ?? 1,
            end: count.map { .count($0) } ?? until ?? .never
        )
    }

    /// Returns whether the value is valid.
    private mutating func take(_ part: RecurrencePart, _ value: Bytes) -> Bool {
        func keep<Value>(_ member: WritableKeyPath<Self, Value?>, _ value: Value?) -> Bool {
            self[keyPath: member] = value
            return value != nil
        }
        switch part {
        case .frequency:
            return keep(\.frequency, Recurrence.Frequency(rawValue: String(decoding: value, as: UTF8.self)))
        case .interval: return keep(\.interval, Self.number(value, digits: 1...9, 1...9999))
        case .weekdays: return keep(\.weekdays, Self.list(value, Self.weekday))
        case .monthDays: return keep(\.monthDays, Self.list(value) { Self.signed($0, 1...31) })
        case .count: return keep(\.count, Self.number(value, digits: 1...9, 1...9999))
        case .until: return keep(\.until, Self.until(value))
        case .weekStart: return keep(\.weekStart, Self.weekday(value).flatMap { $0.ordinal == nil ? $0.weekday : nil })
        case .second, .minute, .hour, .yearDay, .weekNumber, .month, .position: return false
        }
    }

    private static func number(_ text: Bytes, digits: ClosedRange<Int>, _ range: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.count) else { return nil }
        var value = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return range.contains(value) ? value : nil
    }

    /// One or two digits, with or without a sign.
    private static func signed(_ text: Bytes, _ range: ClosedRange<Int>) -> Int? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
        return number(digits, digits: 1...2, range).map { isNegative ? -$0 : $0 }
    }

    private static func list<Element>(_ text: Bytes, _ element: (Bytes) -> Element?) -> [Element]? {
        let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let elements = parts.compactMap(element)
        return elements.count == parts.count ? elements : nil
    }

    private static func weekday(_ text: Bytes) -> RecurrenceDay? {
        guard let index = RecurrenceDay.codes.firstIndex(of: String(decoding: text.suffix(2), as: UTF8.self)) else {
            return nil
        }
        guard text.count > 2 else { return RecurrenceDay(index + 1) }
        return signed(text.dropLast(2), 1...5).map { RecurrenceDay(index + 1, ordinal: $0) }
    }

    /// `YYYYMMDD`, or `YYYYMMDDTHHMMSS` with or without `Z`.
    private static func until(_ text: Bytes) -> Recurrence.End? {
        let text = Array(text)
        let field = { (range: Range<Int>, values: ClosedRange<Int>) in number(text[range], digits: 1...9, values) }
        guard [8, 15, 16].contains(text.count), let year = field(0..<4, 1...9999), let month = field(4..<6, 1...12),
            let day = field(6..<8, 1...31), let date = LocalDate(year: year, month: month, day: day)
        else { return nil }
        if text.count == 8 { return .date(date) }
        guard text[8] == UInt8(ascii: "T"), let hour = field(9..<11, 0...23), let minute = field(11..<13, 0...59),
            let second = field(13..<15, 0...59)
        else { return nil }
        let secondOfDay = hour * 3600 + minute * 60 + second
        if text.count == 15 { return .local(LocalDateTime(date, secondOfDay: secondOfDay)) }
        guard text[15] == UInt8(ascii: "Z") else { return nil }
        return .instant(Instant(seconds: Int64(date.days) * 86_400 + Int64(secondOfDay)))
    }
}

/// The parts that a recurrence can have.
private enum RecurrencePart: String {
    case frequency = "FREQ"
    case interval = "INTERVAL"
    case weekdays = "BYDAY"
    case monthDays = "BYMONTHDAY"
    case count = "COUNT"
    case until = "UNTIL"
    case weekStart = "WKST"
    // The other parts of RFC 5545. They are listed so that errors can name them.
    case second = "BYSECOND"
    case minute = "BYMINUTE"
    case hour = "BYHOUR"
    case yearDay = "BYYEARDAY"
    case weekNumber = "BYWEEKNO"
    case month = "BYMONTH"
    case position = "BYSETPOS"

    /// The valid values of the part. nil: reminders do not support it.
    var wanted: String? {
        switch self {
        case .frequency: "DAILY, WEEKLY or MONTHLY (each year is FREQ=MONTHLY;INTERVAL=12)"
        case .interval, .count: "a number from 1 to 9999"
        case .weekdays:
            "weekdays, MO to SU, with commas between them; with FREQ=MONTHLY also 1MO to 5MO and -1MO (the last) to -5MO"
        case .monthDays: "days of the month, 1 to 31 or -1 (the last) to -31, with commas between them"
        case .until: "a day or a time: 20261231, 20261231T180000 (wall time) or 20261231T180000Z"
        case .weekStart: "a weekday, MO to SU"
        case .second, .minute, .hour, .yearDay, .weekNumber, .month, .position: nil
        }
    }

    static let all = "only FREQ, INTERVAL, BYDAY, BYMONTHDAY, COUNT, UNTIL and WKST"
}
