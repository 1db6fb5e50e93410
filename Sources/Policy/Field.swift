import Base
import JSON
import NudgedPreferences
import TimeZones

import struct FoundationEssentials.UUID

/// Why an input or a rule can't be used. It never contains the text of a message.
public struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The field's path, such as `rules.quiet_hours.start`. Empty for the whole line.
    public let field: String
    public let found: String
    public let wanted: String

    /// One line, such as `rules.spread_minutes: found -1, wanted an integer from 0 to 1440`.
    public var description: String { "\(field.isEmpty ? "line" : field): found \(found), wanted \(wanted)" }
}

/// One value of an input line, with its path, which errors name.
struct Field {
    let value: JSONValue
    var path = ""

    var isNull: Bool { value == .null }
    func wrongType(_ wanted: String) -> PolicyError { PolicyError(field: path, found: value.typeName, wanted: wanted) }

    /// - Parameter found: never a string's value, which may be a message's text.
    func outOfRange(_ found: String, _ wanted: String) -> PolicyError {
        PolicyError(field: path, found: found, wanted: wanted)
    }

    func object() throws(PolicyError) -> Field {
        guard case .object = value else { throw wrongType("an object") }
        return self
    }

    func string(_ wanted: String = "a string") throws(PolicyError) -> String {
        guard case .string(let text) = value else { throw wrongType(wanted) }
        return text
    }

    func bool() throws(PolicyError) -> Bool {
        guard case .bool(let bool) = value else { throw wrongType("true or false") }
        return bool
    }

    func int(_ range: ClosedRange<Int>) throws(PolicyError) -> Int {
        let (first, last) = (range.lowerBound, range.upperBound)
        let wanted = last == .max ? "an integer of \(first) or more" : "an integer from \(first) to \(last)"
        guard case .int(let int) = value else { throw wrongType(wanted) }
        guard range.contains(Int(int)) else { throw outOfRange("\(int)", wanted) }
        return Int(int)
    }

    func limit(_ range: ClosedRange<Int> = 1...Int.max) throws(PolicyError) -> Int64 { Int64(try int(range)) }

    func instant() throws(PolicyError) -> Instant {
        try read("an instant as 2026-05-07T04:38:44Z") { Instant(rfc3339: $0) }
    }

    func date() throws(PolicyError) -> LocalDate { try read("a date as 2026-05-07") { LocalDate(iso: $0) } }
    func timeOfDay() throws(PolicyError) -> TimeOfDay { try read("HH:MM from 00:00 to 23:59") { TimeOfDay($0) } }
    func uuid() throws(PolicyError) -> UUID { try read("a UUID of 36 characters") { UUID(exactly: $0) } }

    private func read<Value>(_ wanted: String, _ parse: (String) -> Value?) throws(PolicyError) -> Value {
        guard let value = parse(try string(wanted)) else { throw outOfRange("a string that is none", wanted) }
        return value
    }

    // MARK: The members of an object

    private func pathOf(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// A field that may be absent. Null counts as present.
    func optional(_ key: String) -> Field? { value[key].map { Field(value: $0, path: pathOf(key)) } }

    /// A field that may be absent or null.
    func nullable(_ key: String) -> Field? { optional(key).flatMap { $0.isNull ? nil : $0 } }

    func required(_ key: String, _ wanted: String) throws(PolicyError) -> Field {
        guard let field = optional(key) else { throw PolicyError(field: pathOf(key), found: "nothing", wanted: wanted) }
        return field
    }

    func field(_ key: String, _ wanted: String, isRequired: Bool) throws(PolicyError) -> Field? {
        isRequired ? try required(key, wanted) : optional(key)
    }

    /// The elements of an array. Empty if the field is absent.
    func elements(_ key: String) throws(PolicyError) -> [Field] {
        guard let field = optional(key) else { return [] }
        guard case .array(let values) = field.value else { throw field.wrongType("an array") }
        return values.enumerated().map { Field(value: $1, path: "\(field.path)[\($0)]") }
    }
}
