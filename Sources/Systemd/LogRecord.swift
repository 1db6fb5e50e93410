import Logging

/// One log line as a value, with its two forms.
struct LogRecord: Sendable {
    var level: Logger.Level
    var label: String
    var message: String
    /// Sorted by key. Nested values are text.
    var metadata: [(key: String, value: String)]
    var file: String
    var line: UInt
    var function: String

    /// syslog(3): 2 critical, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    var priority: Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// The journal's form. If `event` names an `Event`, the entry also gets its `MESSAGE_ID`.
    func entry() -> JournalEntry {
        var entry = JournalEntry(message: message, priority: priority)
        entry.add("SYSLOG_IDENTIFIER", "nudged")
        entry.add("CODE_FILE", file)
        entry.add("CODE_LINE", String(line))
        entry.add("CODE_FUNC", function)
        entry.add("NUDGED_LOGGER", label)
        for (key, value) in metadata {
            entry.add(JournalEntry.fieldName(key, prefix: "NUDGED_"), value)
            if key == "event", let event = Event.named(value) { entry.add("MESSAGE_ID", event.messageID) }
        }
        return entry
    }

    /// `2026-11-21T10:00:00Z warning database: text  key=value other="a b"`, always one line.
    func humanLine(at seconds: Int64) -> String {
        var line = "\(Self.timestamp(seconds)) \(level.rawValue) \(label): \(Self.escaped(message))"
        for (index, (key, value)) in metadata.enumerated() {
            line += (index == 0 ? "  " : " ") + "\(Self.escaped(key))=\(Self.quoted(value))"
        }
        return line
    }

    /// Escapes unprintable characters as `\n`, `\t` or `\u{…}`, so that outside text can't forge a line or control a
    /// terminal.
    static func escaped(_ text: String) -> String {
        text.replacingUnprintable { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    private static func quoted(_ value: String) -> String {
        let plain = !value.isEmpty && !value.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        if plain { return escaped(value) }
        return "\"" + escaped(String(value.flatMap { $0 == "\"" ? "\\\"" : String($0) })) + "\""
    }

    /// RFC 3339 in UTC with whole seconds. Days become a date with the 400-year cycle of the proleptic Gregorian
    /// calendar, with years that start in March.
    static func timestamp(_ seconds: Int64) -> String {
        let clamped = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let days = (clamped >= 0 ? clamped : clamped - 86_399) / 86_400
        let second = clamped - days * 86_400
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
            + "T" + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2) + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
