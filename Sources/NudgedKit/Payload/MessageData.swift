package import JSON

/// The data that the app gave to `nudged_api.send`: all members of the payload except `aps` and those that nudged
/// writes (docs/CLIENT.md, "The payload").
public struct MessageData: Sendable, Equatable {
    package let members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// Whether the message has no data.
    public var isEmpty: Bool { members.members.isEmpty }

    /// The members' keys, each once, in the payload's order.
    public var keys: [String] { members.members.map(\.key) }

    /// The data as one JSON object, for the app's own decoder.
    public var json: String { JSONValue.object(members).document }

    /// The value of `key` if it is a JSON string; else nil.
    public func string(_ key: String) -> String? {
        if case .string(let text)? = members[key] { text } else { nil }
    }

    /// The value of `key` if it is a JSON number without fraction and exponent and within 64 bits; else nil.
    public func int(_ key: String) -> Int64? {
        if case .int(let int)? = members[key] { int } else { nil }
    }

    /// The value of `key` if it is `true` or `false`; else nil.
    public func bool(_ key: String) -> Bool? {
        if case .bool(let bool)? = members[key] { bool } else { nil }
    }
}
