import Base

/// A key's text as it was written, not parsed yet.
struct RawValue: Sendable, Equatable {
    /// Nil for an explicit null, if there is no default, and for a key's text from a credential.
    let text: String?
    /// A key's text from a credential: it never becomes a `String`, which can't be overwritten.
    var secret: Secret? = nil
    let source: ValueSource
}
