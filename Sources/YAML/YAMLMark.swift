/// A place in a text. The column counts characters.
public struct YAMLMark: Sendable, Hashable, Comparable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// A place with these values.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Orders places as they are read.
    public static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
