/// A source of PEM text (RFC 7468).
public enum PEMSource: Sendable, Equatable {
    case file(String)
    case text(String)
}
