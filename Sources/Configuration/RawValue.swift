/// A key's text as it was written, not parsed yet.
struct RawValue: Sendable, Equatable {
    /// Nil for an explicit null, or if there is no default.
    let text: String?
    let source: ValueSource
}
