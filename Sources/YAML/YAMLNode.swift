/// A value of a YAML document, with the place where it begins.
public struct YAMLNode: Sendable, Equatable {
    /// The contents. Scalars stay text, because their type depends on the reader: `10:00` and `no` are kept as written.
    public indirect enum Value: Sendable, Equatable {
        /// A scalar. `isPlain`: without quotes and not a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// Keys in the order of the text. No key occurs twice.
        case mapping([Entry])
    }

    /// A key and its value.
    public struct Entry: Sendable, Equatable {
        /// The key's text.
        public let key: String
        /// Where the key begins.
        public let mark: YAMLMark
        /// The key's value.
        public let value: YAMLNode
    }

    /// The contents.
    public let value: Value
    /// Where the value begins.
    public let mark: YAMLMark

    /// Whether the value is a plain `null`, `~` or empty.
    public var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = value else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }

    /// The kind of the value, for messages to an operator.
    public var kindName: String {
        switch value {
        case .scalar: isNull ? "null" : "a single value"
        case .sequence: "a list"
        case .mapping: "a section"
        }
    }
}
