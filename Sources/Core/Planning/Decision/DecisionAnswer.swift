import JSON

/// The decision service's answer about a nudge.
package struct DecisionAnswer: Sendable, Equatable {
    let shouldNotify: Bool
    let priority: DecisionPriority
    /// For the record: one line of at most `mostReason` scalars. Quotations of the texts are removed.
    let reason: String
    /// Replaces the nudge's own title. nil: no change. `body` likewise.
    let title: String?
    let body: String?

    /// Unicode scalars, as PostgreSQL counts characters.
    static let mostReason = 200
    /// The most bytes of a title and of a body in JSON. About a third of a payload's 4,096 bytes stays free for the
    /// rest.
    static let mostTitle = 256
    static let mostBody = 2_560

    /// Reads `{"should_notify", "priority", "reason", "title"?, "body"?}` strictly. A member that is missing, too long,
    /// empty or of another type makes the whole answer invalid. A null title or body counts as absent. Other members
    /// are ignored.
    ///
    /// - Parameter texts: the nudge's own texts. The record must not contain them.
    package init(parsing bytes: [UInt8], hiding texts: [String]) throws(DecisionNonsense) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes) else {
            throw DecisionNonsense(member: nil, wanted: "a JSON object")
        }
        guard case .bool(let shouldNotify)? = object["should_notify"] else {
            throw DecisionNonsense(member: "should_notify", wanted: "true or false")
        }
        guard let priority = object["priority"]?.text.flatMap(DecisionPriority.init(answered:)) else {
            throw DecisionNonsense(member: "priority", wanted: "urgent, high, medium, normal or low")
        }
        guard let reason = object["reason"]?.text else { throw DecisionNonsense(member: "reason", wanted: "a string") }
        self.shouldNotify = shouldNotify
        self.priority = priority
        title = try Self.text(object, "title", most: Self.mostTitle)
        body = try Self.text(object, "body", most: Self.mostBody)
        let line = reason.oneLine(most: Self.mostReason)
        self.reason = Quotation.masked(line, of: texts + [title, body].compactMap { $0 })
    }

    private static func text(_ object: JSONObject, _ member: String, most: Int) throws(DecisionNonsense) -> String? {
        let value = object[member] ?? .null
        if value == .null { return nil }
        guard let text = value.text, !text.isBlank else {
            throw DecisionNonsense(member: member, wanted: "a text, or null")
        }
        guard size(text) <= most else {
            throw DecisionNonsense(member: member, wanted: "at most \(most) bytes of a payload")
        }
        return text
    }

    /// The size in JSON, where a control character may take six bytes.
    private static func size(_ text: String) -> Int {
        text.utf8.reduce(0) { sum, byte in
            sum + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}

/// Why an answer of the decision service is invalid: the member and what is expected there, never its value.
package struct DecisionNonsense: Error, Sendable, Equatable, CustomStringConvertible {
    /// nil: the whole answer.
    let member: String?
    let wanted: String

    package var description: String { member.map { "\($0): wanted \(wanted)" } ?? "wanted \(wanted)" }
}
