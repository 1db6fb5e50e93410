import JSON

/// What the decision service says of a nudge.
package struct DecisionAnswer: Sendable, Equatable {
    let shouldNotify: Bool
    let priority: DecisionPriority
    /// For the record: one line, at most `mostReason` scalars, without what it quoted of the texts.
    let reason: String
    /// In place of the nudge's own; nil: that one.
    let title: String?
    let body: String?

    /// Scalars, as PostgreSQL counts characters.
    static let mostReason = 200
    /// Bytes of a title and of a body as they stand in a payload; together they leave a third of its 4,096 to the rest.
    static let mostTitle = 256
    static let mostBody = 2_560

    /// Reads `{"should_notify", "priority", "reason", "title"?, "body"?}`, strictly: what is missing, of another type,
    /// beyond its bounds or empty makes the whole nonsense. A null title or body counts as absent; other members are
    /// ignored.
    ///
    /// - Parameter texts: the nudge's own, which the record must not hold.
    package init(parsing bytes: [UInt8], hiding texts: [String]) throws(DecisionNonsense) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes) else {
            throw DecisionNonsense(member: nil, wanted: "a JSON object")
        }
        guard case .bool(let shouldNotify)? = object["should_notify"] else {
            throw DecisionNonsense(member: "should_notify", wanted: "true or false")
        }
        guard let priority = object["priority"]?.text.flatMap(DecisionPriority.init(rawValue:)) else {
            throw DecisionNonsense(member: "priority", wanted: "low, normal, high or urgent")
        }
        guard let reason = object["reason"]?.text else { throw DecisionNonsense(member: "reason", wanted: "a string") }
        self.shouldNotify = shouldNotify
        self.priority = priority
        title = try Self.text(object, "title", most: Self.mostTitle)
        body = try Self.text(object, "body", most: Self.mostBody)
        self.reason = Quotation.masked(Self.line(reason), of: texts + [title, body].compactMap { $0 })
    }

    /// A reason as the record takes it: PostgreSQL has no U+0000, a terminal obeys control characters.
    static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(mostReason).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
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

    /// Bytes in JSON, where a control character may take six.
    private static func size(_ text: String) -> Int {
        text.utf8.reduce(0) { sum, byte in
            sum + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}

/// Why an answer of the decision service is none: the member and what is wanted there, never what it held.
package struct DecisionNonsense: Error, Sendable, Equatable, CustomStringConvertible {
    /// nil: the whole.
    let member: String?
    let wanted: String

    package var description: String { member.map { "\($0): wanted \(wanted)" } ?? "wanted \(wanted)" }
}
