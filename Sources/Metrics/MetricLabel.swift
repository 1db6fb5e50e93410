/// A label of a sample: its name, and one of a few values that it may have.
public struct MetricLabel: Sendable, Hashable {
    /// Letters, digits and `_`.
    public let name: String
    /// Any text; what is no label's business (a user, a token) never stands here.
    public let value: String

    /// All parts.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
