/// A header field whose value differs from request to request of one template.
public struct VaryingField: Sendable, Equatable {
    /// The name, in lower case.
    public let name: String
    /// Whether HPACK must never enter the value into its table (RFC 7541 section 6.2.3).
    ///
    /// A value that differs every time, such as an identifier, would push the long-lived ones, such as a bearer token, out of the table.
    public let isNeverIndexed: Bool

    /// A field named `name` (lower case).
    public init(_ name: String, neverIndexed: Bool) {
        self.name = name
        isNeverIndexed = neverIndexed
    }
}
