public import HTTP2

/// A whole request as a server received it.
public struct ServerRequest: Sendable {
    /// The number of its connection, from 1 in order of arrival.
    public let connectionID: Int
    /// Its stream id, which is odd (RFC 9113 section 5.1.1).
    public let streamID: Int32
    /// All fields, including the pseudo-header fields (`:method`, `:path` …).
    public let headers: HeaderFields
    /// The body.
    public let body: [UInt8]

    /// `:method`; empty if there is none.
    public var method: String { headers[":method"] ?? "" }
    /// `:path`; empty if there is none.
    public var path: String { headers[":path"] ?? "" }
}
