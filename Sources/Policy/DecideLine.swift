public import JSON
public import TimeZones

/// Answers one line of `nudged decide`: JSON in, JSON out, without a database.
public struct DecideLine: Sendable {
    /// The system's time zones.
    public let zones: ZoneDatabase

    /// Decides with these zones.
    public init(zones: ZoneDatabase) {
        self.zones = zones
    }

    /// The answer to one input line, without a newline: the decision with its trace. If the line is wrong or its zone
    /// can't be read now, it is `{"id", "error"}`.
    public func answer(_ line: some Collection<UInt8>) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        answer(line, into: &writer)
        return writer.bytes
    }

    /// Appends the answer to one input line.
    public func answer(_ line: some Collection<UInt8>, into writer: inout JSONWriter) {
        var id: String?
        do {
            let question = try DecideQuestion(parsing: try Self.json(line), id: &id)
            let policy = Policy(rules: question.rules, zones: zones)
            let (decision, trace) = try policy.explain(question.candidate, now: question.now)
            Self.write(question.id, decision, trace, into: &writer)
        } catch {
            writer.beginObject()
            writer.key("id")
            writer.string(id)
            writer.key("error")
            writer.string("\(error)")
            writer.endObject()
        }
    }

    private static func json(_ line: some Collection<UInt8>) throws(PolicyError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: line)
        } catch {
            throw PolicyError(.notJSON, field: "", found: "no JSON (\(error))", wanted: "one JSON object")
        }
    }

    /// Writes an answer with every key of docs/POLICY.md, "Output".
    static func write(_ id: String, _ decision: Decision, _ trace: [TraceStep], into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string(id)
        writer.key("action")
        writer.string(decision.action.rawValue)
        writer.key("reason")
        writer.string(decision.reason.rawValue)
        writer.key("next_at")
        writer.string(decision.nextAt?.rfc3339)
        writer.key("slot")
        writer.string(decision.slot?.iso)
        writer.key("urgent")
        writer.bool(decision.urgent)
        writer.key("valid_until")
        writer.string(decision.validUntil?.rfc3339)
        writer.key("trace")
        write(trace, into: &writer)
        writer.endObject()
    }

    private static func write(_ trace: [TraceStep], into writer: inout JSONWriter) {
        writer.beginArray()
        for step in trace {
            writer.beginObject()
            writer.key("rule")
            writer.string(step.rule)
            writer.key("verdict")
            writer.string(step.outcome)
            writer.key("facts")
            writer.value(.object(step.facts))
            writer.endObject()
        }
        writer.endArray()
    }
}
