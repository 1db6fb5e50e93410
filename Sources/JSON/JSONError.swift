/// Why a text is not a JSON document: the place and the fault. It never holds a part of the text.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Offset in bytes from the start of the text.
    public let offset: Int
    /// What is wrong at this place.
    public let what: String

    /// An error at a byte offset.
    public init(offset: Int, what: String) {
        self.offset = offset
        self.what = what
    }

    /// One line: `byte 12: a string is not closed`.
    public var description: String { "byte \(offset): \(what)" }
}
