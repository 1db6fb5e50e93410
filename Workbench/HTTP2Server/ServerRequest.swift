public import HTTP2

/// A whole request as a server received it.
public struct ServerRequest: Sendable {
    /// The number of its connection, from 1 in the order of their arrival.
    public let connectionID: Int
    /// Its stream (odd, RFC 9113 section 5.1.1).
    public let streamID: Int32
    /// All fields, the pseudo-header fields (`:method`, `:path` …) among them.
    public let headers: HeaderFields
    /// The body.
    public let body: [UInt8]

    /// `:method`; empty where there is none.
    public var method: String { headers[":method"] ?? "" }
    /// `:path`; empty where there is none.
    public var path: String { headers[":path"] ?? "" }
}
