import NudgedPreferences
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
        var parts: [String: Bytes] = [:]
        for part in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = String(decoding: part[..<sign], as: UTF8.self)
            guard parts.updateValue(part[(sign + 1)...], forKey: name) == nil else { return nil }
        }
        var isValid = true
        func take<Value>(_ name: String, _ read: (Bytes) -> Value?) -> Value? {
            guard let text = parts.removeValue(forKey: name) else { return nil }
            guard let value = read(text) else {
                isValid = false
                return nil
            }
            return value
        }
        let unit = take("FREQ") { Frequency(rawValue: String(decoding: $0, as: UTF8.self)) }
        let interval = take("INTERVAL") { Self.number($0, digits: 1...9, 1...9999) }
        let weekdays = take("BYDAY") { Self.list($0, Self.weekday) } ?? []
        let monthDays = take("BYMONTHDAY") { Self.list($0) { Self.signed($0, 1...31) } } ?? []
        let count = take("COUNT") { Self.number($0, digits: 1...9, 1...9999) }
        let until = take("UNTIL", Self.until)
        let weekStart: Int? = take("WKST") { Self.weekday($0).flatMap { $0.ordinal == nil ? $0.weekday : nil } }
        // The parts may not contradict each other. A list that is given has an element, so an empty one is absent.
        guard isValid, parts.isEmpty, let frequency = unit, count == nil || until == nil,
            monthDays.isEmpty || frequency != .weekly,
            frequency == .monthly || weekdays.allSatisfy({ $0.ordinal == nil })
        else { return nil }
        self.init(
            frequency: frequency,
            interval: interval ?? 1,
            weekdays: Set(weekdays).sorted(),
            monthDays: Set(monthDays).sorted(),
            weekStart: weekStart ?? 1,
            end: count.map { .count($0) } ?? until ?? .never
        )
    }

    private typealias Bytes = ArraySlice<UInt8>

    private static func number(_ text: Bytes, digits: ClosedRange<Int>, _ range: ClosedRange<Int>) -> Int? {
        let value = digits.contains(text.count) ? CivilDate.decimal(text) : nil
        return value.flatMap { range.contains($0) ? $0 : nil }
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
    private static func until(_ text: Bytes) -> End? {
        func part(_ first: Int, _ count: Int) -> String {
            String(decoding: text.dropFirst(first).prefix(count), as: UTF8.self)
        }
        let date = "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))"
        if text.count == 8 { return LocalDate(iso: date).map { .date($0) } }
        let isUTC = part(15, 1) == "Z"
        guard text.count == (isUTC ? 16 : 15), part(8, 1) == "T",
            let time = LocalDateTime(iso: "\(date)T\(part(9, 2)):\(part(11, 2)):\(part(13, 2))")
        else { return nil }
        return isUTC ? .instant(time.asUTC) : .local(time)
    }
}
