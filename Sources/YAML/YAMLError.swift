/// Why a text is not accepted as YAML, and where. Holds no value of the text.
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of fault.
    public enum Code: Sendable, Equatable {
        case syntax
        /// A mapping has a key twice.
        case duplicateKey
        /// An anchor, an alias or a tag. None is needed here, and aliases can make a small text huge.
        case unsupported
        case secondDocument
        /// The text is too large, too deep, or has too many nodes.
        case tooLarge
    }

    /// The kind of fault.
    public let code: Code
    /// The place of the fault.
    public let mark: YAMLMark
    /// The description of the fault.
    public let what: String

    /// The place and the description.
    public var description: String { "\(mark.line):\(mark.column): \(what)" }
}
