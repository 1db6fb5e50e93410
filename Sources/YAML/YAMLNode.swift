package struct YAMLNode: Sendable, Equatable {
    /// Scalars stay text, because their type depends on the reader: `10:00` and `no` are kept as written.
    package indirect enum Value: Sendable, Equatable {
        /// `isPlain`: without quotes and not a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// Keys in the order of the text. No key occurs twice.
        case mapping([Entry])
    }

    package struct Entry: Sendable, Equatable {
        package let key: String
        package let mark: YAMLMark
        package let value: YAMLNode
    }

    package let value: Value
    package let mark: YAMLMark

    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = value else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    package var kindName: String {
        switch value {
        case .scalar: isNull ? "null" : "a single value"
        case .sequence: "a list"
        case .mapping: "a section"
        }
    }
}

/// A place in a text: line and column, from 1. The column counts characters.
package struct YAMLMark: Sendable, Hashable {
    package let line: Int
    package let column: Int
}

/// Why a text is not accepted as YAML, and where. It quotes nothing of the text.
package struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    package let mark: YAMLMark
    package let what: String

    init(_ mark: YAMLMark, _ what: String) { (self.mark, self.what) = (mark, what) }

    package var description: String { "\(mark.line):\(mark.column): \(what)" }
}
