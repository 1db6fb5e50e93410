package import JSON

/// What an app put beside the words of its message: the members of the payload that are not nudged's own.
public struct MessageData: Sendable, Equatable {
    package let members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// Whether there is nothing.
    public var isEmpty: Bool { members.members.isEmpty }

    /// The keys, in the payload's order.
    public var keys: [String] { members.members.map(\.key) }

    /// As one JSON object, for the app's own decoder.
    public var json: String {
        var writer = JSONWriter()
        writer.value(.object(members))
        return writer.string
    }

    /// The string of a key; nil where there is none or something else.
    public func string(_ key: String) -> String? {
        if case .string(let text)? = members[key] { text } else { nil }
    }

    /// The integer of a key (without fraction and exponent, within 64 bits); nil where there is none or something else.
    public func int(_ key: String) -> Int64? {
        if case .int(let int)? = members[key] { int } else { nil }
    }

    /// The boolean of a key; nil where there is none or something else.
    public func bool(_ key: String) -> Bool? {
        if case .bool(let bool)? = members[key] { bool } else { nil }
    }
}
