public import OpenSSL

/// How a client connection is made and kept. All times are milliseconds of CLOCK_MONOTONIC.
public struct ClientConfiguration: Sendable {
    /// A host name or a numeric address. It is resolved, sent as SNI, and the certificate must contain it.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// Numeric addresses to dial instead of the host's. Nil: resolve the name for every dial.
    public var addresses: [String]?
    /// Returns the numeric addresses of the host. It is called for every dial on its own thread, where it may block.
    /// Nil: the system's resolver.
    public var resolver: (@Sendable (_ host: String) -> [String])?
    /// Which server certificates are accepted.
    public var trust: TLSTrust
    /// The time for name resolution, TCP, TLS and the server's first SETTINGS frame together. Default 10,000.
    public var connectTimeout: Int
    /// The time from a request's start on a stream (not in the queue) to its complete answer. Default 30,000.
    public var requestDeadline: Int
    /// A PING is sent after this time without a received byte. Default 60,000.
    public var pingInterval: Int
    /// The connection closes if a PING has no answer after this time. Default 10,000.
    public var pingTimeout: Int
    /// The most open streams. The server's MAX_CONCURRENT_STREAMS may be lower. Default 1,000.
    public var maximumStreams: Int
    /// How many bytes of a response body are kept. A longer body is cut and its stream reset. Default 65,536.
    public var maximumBody: Int
    /// The names (lower case) of the answer's fields to keep. Nil, the default: all. Each kept field costs memory.
    public var keptFields: [String]?
    /// The name of the connection's thread. The system uses its first 15 bytes.
    public var label: String

    /// A configuration with the defaults.
    public init(host: String, port: UInt16 = 443, trust: TLSTrust = .system, label: String = "http2") {
        self.host = host
        self.port = port
        self.trust = trust
        self.label = label
        connectTimeout = 10_000
        requestDeadline = 30_000
        pingInterval = 60_000
        pingTimeout = 10_000
        maximumStreams = 1_000
        maximumBody = 65_536
    }
}
