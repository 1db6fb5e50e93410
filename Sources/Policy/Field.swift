import FoundationEssentials
import JSON
import NudgedPreferences
import TimeZones

/// One value of an input line, with its path.
struct Field {
    let value: JSONValue
    let path: String

    var isNull: Bool { value == .null }

    func wrongType(_ wanted: String) -> PolicyError {
        PolicyError(.wrongType, field: path, found: value.typeName, wanted: wanted)
    }

    /// - Parameter found: never a string's value, which may be a message's text.
    func outOfRange(_ found: String, _ wanted: String) -> PolicyError {
        PolicyError(.outOfRange, field: path, found: found, wanted: wanted)
    }

    func object() throws(PolicyError) -> FieldReader { try FieldReader(value, path: path) }

    func string() throws(PolicyError) -> String {
        guard case .string(let text) = value else { throw wrongType("a string") }
        return text
    }

    func bool() throws(PolicyError) -> Bool {
        guard case .bool(let bool) = value else { throw wrongType("true or false") }
        return bool
    }

    func int(_ range: ClosedRange<Int>) throws(PolicyError) -> Int {
        let wanted =
            range.upperBound == .max
            ? "an integer of \(range.lowerBound) or more" : "an integer from \(range.lowerBound) to \(range.upperBound)"
        guard case .int(let int) = value else { throw wrongType(wanted) }
        guard range.contains(Int(int)) else { throw outOfRange("\(int)", wanted) }
        return Int(int)
    }

    func cap() throws(PolicyError) -> Int64 { Int64(try int(1...Int.max)) }

    func instant() throws(PolicyError) -> Instant {
        let wanted = "an instant as 2026-05-07T04:38:44Z"
        guard case .string(let text) = value else { throw wrongType(wanted) }
        guard let instant = Instant(rfc3339: text) else { throw outOfRange("a string that is none", wanted) }
        return instant
    }

    func date() throws(PolicyError) -> LocalDate {
        let wanted = "a date as 2026-05-07"
        guard case .string(let text) = value else { throw wrongType(wanted) }
        guard let date = LocalDate(iso: text) else { throw outOfRange("a string that is none", wanted) }
        return date
    }

    func timeOfDay() throws(PolicyError) -> TimeOfDay {
        let wanted = "HH:MM from 00:00 to 23:59"
        guard case .string(let text) = value else { throw wrongType(wanted) }
        guard let time = TimeOfDay(text) else { throw outOfRange("a string that is none", wanted) }
        return time
    }

    func uuid() throws(PolicyError) -> UUID {
        let wanted = "a UUID of 36 characters"
        guard case .string(let text) = value else { throw wrongType(wanted) }
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
            throw outOfRange("a string that is none", wanted)
        }
        return uuid
    }
}
