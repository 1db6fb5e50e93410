import TimeZones

/// A rule's parts while they are read, in upper case.
struct RecurrenceParts {
    private var read: Set<RecurrencePart> = []
    private var frequency: Recurrence.Frequency?
    private(set) var interval: Int?
    private(set) var weekdays: [RecurrenceDay]?
    private(set) var monthDays: [Int]?
    private(set) var count: Int?
    private(set) var until: Recurrence.End?
    private(set) var weekStart: Int?

    private typealias Bytes = ArraySlice<UInt8>

    /// Reads one `NAME=VALUE`.
    mutating func read(_ text: ArraySlice<UInt8>) throws(PolicyError) {
        guard let sign = text.firstIndex(of: UInt8(ascii: "=")) else {
            throw Recurrence.error(.missing, found: "a part without =", wanted: "NAME=VALUE parts with ; between them")
        }
        guard let part = RecurrencePart(rawValue: String(decoding: text[..<sign], as: UTF8.self)) else {
            throw Recurrence.error(.outOfRange, found: "an unknown part", wanted: RecurrencePart.all)
        }
        guard let wanted = part.wanted else {
            throw Recurrence.error(
                .outOfRange,
                part,
                found: "a part that reminders do not have",
                wanted: RecurrencePart.all
            )
        }
        guard read.insert(part).inserted else {
            throw Recurrence.error(.outOfRange, part, found: "it twice", wanted: "it once")
        }
        guard take(part, text[(sign + 1)...]) else {
            throw Recurrence.error(.outOfRange, part, found: "another value", wanted: wanted)
        }
    }

    /// Checks the parts against each other.
    func checked() throws(PolicyError) -> Recurrence {
        guard let frequency else {
            throw Recurrence.error(
                .missing,
                .frequency,
                found: "nothing",
                wanted: RecurrencePart.frequency.wanted ?? ""
            )
        }
        if count != nil, until != nil {
            throw Recurrence.error(.outOfRange, .until, found: "it beside COUNT", wanted: "one of the two")
        }
        if monthDays != nil, frequency == .weekly {
            throw Recurrence.error(
                .outOfRange,
                .monthDays,
                found: "it with FREQ=WEEKLY",
                wanted: "FREQ=MONTHLY or FREQ=DAILY"
            )
        }
        if frequency != .monthly, (weekdays ?? []).contains(where: { $0.ordinal != nil }) {
            throw Recurrence.error(
                .outOfRange,
                .weekdays,
                found: "a numbered weekday without FREQ=MONTHLY",
                wanted: "weekdays alone, or FREQ=MONTHLY"
            )
        }
        return Recurrence(self, frequency)
    }

    /// Returns whether the value is valid.
    private mutating func take(_ part: RecurrencePart, _ value: ArraySlice<UInt8>) -> Bool {
        switch part {
        case .frequency: frequency = Recurrence.Frequency(rawValue: String(decoding: value, as: UTF8.self))
        case .interval: interval = Self.number(value, digits: 1...9, Recurrence.numbers)
        case .weekdays: weekdays = Self.list(value, Self.weekday)
        case .monthDays: monthDays = Self.list(value, Self.monthDay)
        case .count: count = Self.number(value, digits: 1...9, Recurrence.numbers)
        case .until: until = Self.until(value)
        case .weekStart: weekStart = Self.weekday(value).flatMap { $0.ordinal == nil ? $0.weekday : nil }
        case .second, .minute, .hour, .yearDay, .weekNumber, .month, .position: return false
        }
        return switch part {
        case .frequency: frequency != nil
        case .interval: interval != nil
        case .weekdays: weekdays != nil
        case .monthDays: monthDays != nil
        case .count: count != nil
        case .until: until != nil
        default: weekStart != nil
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

    private static func monthDay(_ text: Bytes) -> Int? { signed(text, 1...31) }

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
