import TimeZones

extension Recurrence {
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
            throw Self.error(.missing, found: "nothing", wanted: "a rule such as FREQ=WEEKLY;BYDAY=MO")
        }
        guard bytes.count <= Self.longestRule else {
            throw Self.error(.outOfRange, found: "more than 500 bytes", wanted: "a shorter rule")
        }
        guard !bytes.starts(with: "RRULE:".utf8) else {
            throw Self.error(.outOfRange, found: "the prefix RRULE:", wanted: "the rule alone, from FREQ= on")
        }
        var parts = RecurrenceParts()
        for part in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            try parts.read(part)
        }
        self = try parts.checked()
    }

    static func error(
        _ code: PolicyError.Code,
        _ name: RecurrencePart? = nil,
        found: String,
        wanted: String
    ) -> PolicyError {
        PolicyError(code, field: name.map { "recurrence.\($0.rawValue)" } ?? "recurrence", found: found, wanted: wanted)
    }

    init(_ parts: RecurrenceParts, _ frequency: Frequency) {
        self.frequency = frequency
        interval = parts.interval ?? 1
        weekdays = Set(parts.weekdays ?? []).sorted()
        monthDays = Set(parts.monthDays ?? []).sorted()
        weekStart = parts.weekStart ?? 1
        end = parts.count.map { .count($0) } ?? parts.until ?? .never
    }
}
