/// Why a text is no YAML that we take, and where. It holds no value of the text.
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Code: Sendable, Equatable {
        /// The parser refused it.
        case syntax
        /// A key stands twice in one mapping.
        case duplicateKey
        /// An anchor, an alias or a tag: none has a use here, and aliases can blow up a small text.
        case unsupported
        /// A second document.
        case secondDocument
        /// Too large, too deep, or too many nodes.
        case tooLarge
    }

    /// What kind it is.
    public let code: Code
    /// Where.
    public let mark: YAMLMark
    /// In words.
    public let what: String

    /// Place and words.
    public var description: String { "\(mark.line):\(mark.column): \(what)" }
}
