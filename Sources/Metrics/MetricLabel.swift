/// A label of a sample.
public struct MetricLabel: Sendable, Hashable {
    /// Letters, digits and `_`.
    public let name: String
    /// Any text, from a small set of values. Never a user id or a token.
    public let value: String

    /// Creates a label.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
