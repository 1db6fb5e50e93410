/// A place in a text, both counted from 1; the column in characters.
public struct YAMLMark: Sendable, Hashable, Comparable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// All parts.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The order of reading.
    public static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
