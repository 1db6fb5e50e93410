import JSON
import NudgedPreferences
import TimeZones

/// One input line of `nudged decide`, checked by docs/POLICY.md, "Input".
struct DecideQuestion {
    let id: String
    let now: Instant
    let rules: Rules
    let candidate: Candidate

    /// - Parameter id: set as soon as it is read, for the answer to a line with an error.
    init(parsing json: JSONValue, id: inout String?) throws(PolicyError) {
        let line = try FieldReader(json, path: "")
        let identifier = try line.required("id", "a string").string()
        id = identifier
        self.id = identifier
        let kind = try Self.kind(line)
        now = try line.required("now", "an instant as 2026-05-07T04:38:44Z").instant()
        rules =
            try line.optional("rules").map { field throws(PolicyError) in try Rules(try field.object()) } ?? .defaults
        candidate = Candidate(
            userID: try line.required("user_id", "a UUID").uuid(),
            paused: try line.optional("paused")?.bool() ?? false,
            preferences: Preferences(json: line.optional("preferences")?.value),
            timezone: try line.nullable("timezone")?.string(),
            firstSessionComplete: try line.optional("first_session_complete")?.bool() ?? true,
            devices: try line.optional("devices")?.int(0...Int.max) ?? 1,
            since: try line.nullable("since")?.instant(),
            history: try Self.history(line),
            nudge: try Self.nudge(kind, line)
        )
    }

    private static func kind(_ line: FieldReader) throws(PolicyError) -> NudgeKind {
        let wanted = "check_in, message or reminder"
        let field = try line.required("kind", wanted)
        guard let kind = NudgeKind(rawValue: try field.string()) else {
            throw field.outOfRange("another string", wanted)
        }
        return kind
    }

    private static func history(_ line: FieldReader) throws(PolicyError) -> History {
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
    private static func nudge(_ kind: NudgeKind, _ line: FieldReader) throws(PolicyError) -> Nudge {
        let message = try message(line, isRequired: kind == .message)
        let reminder = try reminder(line, isRequired: kind == .reminder)
        if kind == .message, let message { return .message(message) }
        if kind == .reminder, let reminder { return .reminder(reminder) }
        return .checkIn
    }

    private static func field(
        _ reader: FieldReader,
        _ key: String,
        _ wanted: String,
        isRequired: Bool
    ) throws(PolicyError) -> Field? {
        isRequired ? try reader.required(key, wanted) : reader.optional(key)
    }

    private static func message(_ line: FieldReader, isRequired: Bool) throws(PolicyError) -> Message? {
        guard let reader = try field(line, "message", "an object", isRequired: isRequired)?.object() else { return nil }
        return Message(
            title: try field(reader, "title", "a string", isRequired: isRequired)?.string() ?? "",
            body: try field(reader, "body", "a string", isRequired: isRequired)?.string() ?? "",
            urgent: try field(reader, "urgent", "true or false", isRequired: isRequired)?.bool() ?? false,
            expiresAt: try reader.nullable("expires_at")?.instant(),
            deliverAt: try reader.nullable("deliver_at")?.instant()
        )
    }

    private static func reminder(_ line: FieldReader, isRequired: Bool) throws(PolicyError) -> Reminder? {
        guard let reader = try field(line, "reminder", "an object", isRequired: isRequired)?.object() else {
            return nil
        }
        let isAuthor = try field(reader, "recipient_is_author", "true or false", isRequired: isRequired)
        return Reminder(
            dueAt: try field(reader, "due_at", "an instant", isRequired: isRequired)?.instant() ?? .first,
            expiresAt: try reader.nullable("expires_at")?.instant(),
            recipientIsAuthor: try isAuthor?.bool() ?? false
        )
    }
}
