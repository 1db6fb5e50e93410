/// A header field whose value differs between the requests of one template.
public struct VaryingField: Sendable, Equatable {
    /// The name, in lower case.
    public let name: String
    /// Whether HPACK must not add the value to its table (RFC 7541 section 6.2.3).
    ///
    /// A value that always differs, such as an id, would evict long-lived ones, such as a bearer token.
    public let isNeverIndexed: Bool

    /// A field named `name` (lower case).
    public init(_ name: String, neverIndexed: Bool) {
        self.name = name
        isNeverIndexed = neverIndexed
    }
}
