/// Where PEM text (RFC 7468) comes from.
public enum PEMSource: Sendable, Equatable {
    /// The path of a file.
    case file(String)
    /// The text itself.
    case text(String)
}
