import TimeZones

extension Recurrence {
    /// The most bytes of a rule. A longer one would have to repeat itself.
    private static let longestRule = 500

    /// Reads a rule such as `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR`. The parts are FREQ, INTERVAL, BYDAY, BYMONTHDAY,
    /// COUNT, UNTIL and WKST, each once, in any order, in upper or lower case. nil: it is no such rule.
    ///
    /// `nudged.recurrence_fault` in SQL refuses the same rules, and says why. Change both together.
    public init?(parsing text: String) {
        let bytes = text.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }
        guard bytes.count <= Self.longestRule else { return nil }
        var parts = RecurrenceParts()
        for part in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            guard parts.take(part) else { return nil }
        }
        guard let rule = parts.rule else { return nil }
        self = rule
    }
}

/// A rule's parts while they are read, in upper case.
private struct RecurrenceParts {
    private var frequency: Recurrence.Frequency?
    private var interval: Int?
    private var weekdays: [RecurrenceDay]?
    private var monthDays: [Int]?
    private var count: Int?
    private var until: Recurrence.End?
    private var weekStart: Int?

    private typealias Bytes = ArraySlice<UInt8>

    /// nil: a part is missing, or the parts contradict each other.
    var rule: Recurrence? {
        guard let frequency, count == nil || until == nil, monthDays == nil || frequency != .weekly,
            frequency == .monthly || (weekdays ?? []).allSatisfy({ $0.ordinal == nil })
        else { return nil }
        return Recurrence(
            frequency: frequency,
            interval: interval ?? 1,
            weekdays: Set(weekdays ?? []).sorted(),
            monthDays: Set(monthDays ?? []).sorted(),
            weekStart: weekStart ?? 1,
            end: count.map { .count($0) } ?? until ?? .never
        )
    }

    /// Takes one `NAME=VALUE`. Returns whether it is valid and comes for the first time.
    mutating func take(_ text: ArraySlice<UInt8>) -> Bool {
        guard let sign = text.firstIndex(of: UInt8(ascii: "=")) else { return false }
        func keep<Value>(_ member: WritableKeyPath<Self, Value?>, _ value: Value?) -> Bool {
            guard self[keyPath: member] == nil else { return false }
            self[keyPath: member] = value
            return value != nil
        }
        let value = text[(sign + 1)...]
        switch String(decoding: text[..<sign], as: UTF8.self) {
        case "FREQ": return keep(\.frequency, Recurrence.Frequency(rawValue: String(decoding: value, as: UTF8.self)))
        case "INTERVAL": return keep(\.interval, Self.number(value, digits: 1...9, 1...9999))
        case "BYDAY": return keep(\.weekdays, Self.list(value, Self.weekday))
        case "BYMONTHDAY": return keep(\.monthDays, Self.list(value) { Self.signed($0, 1...31) })
        case "COUNT": return keep(\.count, Self.number(value, digits: 1...9, 1...9999))
        case "UNTIL": return keep(\.until, Self.until(value))
        case "WKST": return keep(\.weekStart, Self.weekday(value).flatMap { $0.ordinal == nil ? $0.weekday : nil })
        default: return false
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
