package import OpenSSL

/// How a client connection is made and kept. All times are milliseconds of CLOCK_MONOTONIC.
package struct ClientConfiguration: Sendable, Equatable {
    /// A host name or a numeric address. It is resolved for every dial, sent as SNI, and the certificate must contain
    /// it.
    package var host: String
    package var port: UInt16
    /// Which server certificates are accepted.
    package var trust: TLSTrust
    /// The time for name resolution, TCP, TLS and the server's first SETTINGS frame together.
    package var connectTimeout: Int64 = 10_000
    /// The time from a request's start on a stream (not in the queue) to its complete answer.
    package var requestDeadline: Int64 = 10_000
    /// A PING is sent after this time without a received byte.
    package var pingInterval: Int64 = 60_000
    /// The connection closes if a PING has no answer after this time.
    package var pingTimeout: Int64 = 10_000
    /// The most open streams. The server's MAX_CONCURRENT_STREAMS may be lower.
    package var maximumStreams = 1_000
    /// How many bytes of a response body are kept. A longer body is cut and its stream reset.
    package var maximumBody = 65_536
    /// The names (lower case) of the answer's fields to keep. Nil: all. Each kept field costs memory.
    package var keptFields: [String]?
    /// The name of the connection's thread. The system uses its first 15 bytes.
    package var label: String

    package init(host: String, port: UInt16 = 443, trust: TLSTrust = .system, label: String = "http2") {
        self.host = host
        self.port = port
        self.trust = trust
        self.label = label
    }
}
