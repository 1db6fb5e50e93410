/// A value of a YAML document, with the place where it begins.
public struct YAMLNode: Sendable, Equatable {
    /// What it is. Scalars stay text: their type is the reader's business, so that `10:00` and `no` are what was written.
    public indirect enum Value: Sendable, Equatable {
        /// A scalar; `isPlain` where it stands without quotes and is no block.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// Keys in the order they were written, none twice.
        case mapping([Entry])
    }

    /// A key and its value.
    public struct Entry: Sendable, Equatable {
        /// The key's text.
        public let key: String
        /// Where the key begins.
        public let mark: YAMLMark
        /// Its value.
        public let value: YAMLNode
    }

    /// What it is.
    public let value: Value
    /// Where it begins.
    public let mark: YAMLMark

    /// Whether it is a plain `null`, `~`, or nothing at all.
    public var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = value else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }

    /// What it is, in a word for an operator.
    public var kindName: String {
        switch value {
        case .scalar: isNull ? "null" : "a single value"
        case .sequence: "a list"
        case .mapping: "a section"
        }
    }
}
