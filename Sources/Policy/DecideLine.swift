package import JSON
import NudgedPreferences
public import TimeZones

/// Answers one line of `nudged decide`: JSON in, JSON out, without a database.
public struct DecideLine: Sendable {
    private let zones: ZoneDatabase

    public init(zones: ZoneDatabase) { self.zones = zones }

    /// The answer to one input line, without a newline: the decision with its trace. If the line is wrong or its zone
    /// can't be read now, it is `{"id", "error"}`.
    public func answer(_ line: some Collection<UInt8>) -> [UInt8] {
        var id: String?
        do {
            let question = try DecideQuestion(parsing: try Self.json(line), id: &id)
            let policy = Policy(rules: question.rules, zones: zones)
            let (decision, trace) = try policy.explain(question.candidate, now: question.now)
            let answer: Fields = ["id": question.id]
            return Array((answer + Self.fields(decision, trace)).document.utf8)
        } catch {
            return Array(Fields.text(["id": id, "error": "\(error)"]).utf8)
        }
    }

    private static func json(_ line: some Collection<UInt8>) throws(PolicyError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: line)
        } catch {
            throw PolicyError(field: "", found: "no JSON (\(error))", wanted: "one JSON object")
        }
    }

    /// Every key of docs/POLICY-SPEC.md, "Output", except `id`.
    package static func fields(_ decision: Decision, _ trace: [TraceStep]) -> Fields {
        let steps = trace.map { step -> Fields in
            ["rule": step.rule, "verdict": step.outcome, "facts": step.facts]
        }
        return [
            "action": decision.action.rawValue, "reason": decision.reason.rawValue,
            "next_at": decision.nextAt?.rfc3339, "slot": decision.slot?.iso, "urgent": decision.urgent,
            "valid_until": decision.validUntil?.rfc3339, "trace": steps,
        ]
    }
}

/// One input line of `nudged decide`, checked by docs/POLICY-SPEC.md, "Input".
struct DecideQuestion {
    let id: String
    let now: Instant
    let rules: Rules
    let candidate: Candidate

    /// - Parameter id: set as soon as it is read, for the answer to a line with an error.
    init(parsing json: JSONValue, id: inout String?) throws(PolicyError) {
        let line = try Field(value: json).object()
        self.id = try line.required("id", "a string").string()
        id = self.id
        let kind = try Self.kind(line)
        now = try line.required("now", "an instant as 2026-05-07T04:38:44Z").instant()
        let rules = try line.optional("rules")?.object()
        self.rules = try rules.map { reader throws(PolicyError) in try Rules(reader) } ?? .defaults
        candidate = Candidate(
            userID: try line.required("user_id", "a UUID").uuid(),
            paused: try line.optional("paused")?.bool() ?? false,
            preferences: Preferences(json: line.optional("preferences")?.value),
            timezone: try line.nullable("timezone")?.string(),
            firstSessionComplete: try line.optional("first_session_complete")?.bool() ?? true,
            devices: try line.optional("devices")?.int(0...Int.max) ?? 1,
            since: try line.nullable("since")?.instant(),
            seen: try line.nullable("seen")?.instant(),
            ignored: Int64(try line.optional("ignored")?.int(0...Int.max) ?? 0),
            history: try Self.history(line),
            nudge: try Self.nudge(kind, line)
        )
    }

    private static func kind(_ line: Field) throws(PolicyError) -> NudgeKind {
        let wanted = "check_in, message or reminder"
        let field = try line.required("kind", wanted)
        guard let kind = NudgeKind(rawValue: try field.string()) else {
            throw field.outOfRange("another string", wanted)
        }
        return kind
    }

    private static func history(_ line: Field) throws(PolicyError) -> History {
        var history = History()
        for element in try line.elements("check_ins") {
            let checkIn = try element.object()
            let at = try checkIn.required("at", "an instant").instant()
            history.checkIns.append(CheckIn(at: at, slot: try checkIn.required("slot", "a date").date()))
        }
        for element in try line.elements("closed") { history.closed.append(try element.date()) }
        for element in try line.elements("sent") { history.sent.append(try element.instant()) }
        return history
    }

    /// A message or reminder that the kind does not need must have the right types, but may lack members.
    private static func nudge(_ kind: NudgeKind, _ line: Field) throws(PolicyError) -> Nudge {
        let message = try message(line, isRequired: kind == .message)
        let reminder = try reminder(line, isRequired: kind == .reminder)
        if kind == .message, let message { return .message(message) }
        if kind == .reminder, let reminder { return .reminder(reminder) }
        return .checkIn
    }

    private static func message(_ line: Field, isRequired: Bool) throws(PolicyError) -> Message? {
        guard let reader = try line.field("message", "an object", isRequired: isRequired)?.object() else { return nil }
        var message = Message(
            title: try reader.field("title", "a string", isRequired: isRequired)?.string() ?? "",
            body: try reader.field("body", "a string", isRequired: isRequired)?.string() ?? "",
            urgent: try reader.field("urgent", "true or false", isRequired: isRequired)?.bool() ?? false,
            isSilent: try reader.optional("silent")?.bool() ?? false,
            category: try reader.nullable("category")?.string(),
            createdAt: try reader.nullable("created_at")?.instant(),
            expiresAt: try reader.nullable("expires_at")?.instant(),
            deliverAt: try reader.nullable("deliver_at")?.instant()
        )
        if let conversation = try reader.nullable("conversation")?.object() {
            message.conversation = Conversation(
                messages: Int64(try conversation.required("messages", "an integer of 0 or more").int(0...Int.max)),
                lastAt: try conversation.required("last_at", "an instant").instant()
            )
        }
        return message
    }

    private static func reminder(_ line: Field, isRequired: Bool) throws(PolicyError) -> Reminder? {
        guard let reader = try line.field("reminder", "an object", isRequired: isRequired)?.object() else { return nil }
        let isAuthor = try reader.field("recipient_is_author", "true or false", isRequired: isRequired)
        return Reminder(
            dueAt: try reader.field("due_at", "an instant", isRequired: isRequired)?.instant() ?? .first,
            expiresAt: try reader.nullable("expires_at")?.instant(),
            recipientIsAuthor: try isAuthor?.bool() ?? false
        )
    }
}
