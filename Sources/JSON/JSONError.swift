/// Why a text is no JSON document: where, and what was wanted there. It never holds a piece of the text.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Offset in bytes from the start of the text.
    public let offset: Int
    /// What is wrong there, in words.
    public let what: String

    /// An error at a byte offset.
    public init(offset: Int, what: String) {
        self.offset = offset
        self.what = what
    }

    /// One line: `byte 12: a string is not closed`.
    public var description: String { "byte \(offset): \(what)" }
}
