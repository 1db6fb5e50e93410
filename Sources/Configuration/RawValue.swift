/// What somebody wrote for a key, not yet looked at.
struct RawValue: Sendable, Equatable {
    /// Nil for an explicit null.
    let text: String?
    let source: ValueSource
}
