import JSON
import TimeZones

/// Records the steps of a decision. With `NoTrace` the calls compile to nothing.
protocol DecisionTrace {
    mutating func note(
        _ rule: @autoclosure () -> String,
        _ outcome: Action?,
        _ facts: @autoclosure () -> [(String, JSONValue)]
    )
}

struct NoTrace: DecisionTrace {
    @inline(__always)
    mutating func note(
        _ rule: @autoclosure () -> String,
        _ outcome: Action?,
        _ facts: @autoclosure () -> [(String, JSONValue)]
    ) {}
}

struct RecordedTrace: DecisionTrace {
    var steps: [TraceStep] = []

    mutating func note(
        _ rule: @autoclosure () -> String,
        _ outcome: Action?,
        _ facts: @autoclosure () -> [(String, JSONValue)]
    ) {
        let members = facts().map { JSONObject.Member(key: $0.0, value: $0.1) }
        steps.append(TraceStep(rule: rule(), outcome: outcome?.rawValue ?? "pass", facts: JSONObject(members)))
    }
}

extension JSONValue {
    static func instant(_ instant: Instant?) -> JSONValue { instant.map { .string($0.rfc3339) } ?? .null }
    static func date(_ date: LocalDate?) -> JSONValue { date.map { .string($0.iso) } ?? .null }
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func count(_ count: Int64?) -> JSONValue { count.map { .int($0) } ?? .null }
}
