public import OpenSSL

/// How a client connection is made and kept. All times are milliseconds on CLOCK_MONOTONIC.
public struct ClientConfiguration: Sendable {
    /// The host name (or numeric address) to resolve, to send as SNI, and to verify the certificate for.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// Numeric addresses to dial in place of the host's own; nil: resolve the name at every dial.
    public var addresses: [String]?
    /// Gives the numeric addresses of the host, asked at every dial on a thread of its own, where it may block; nil: the system's resolver.
    public var resolver: (@Sendable (_ host: String) -> [String])?
    /// Whose certificates are accepted.
    public var trust: TLSTrust
    /// For name resolution, TCP, TLS and the server's first SETTINGS frame together. Default 10,000.
    public var connectTimeout: Int
    /// From the moment that a request is begun (not queued) to its whole answer. Default 30,000.
    public var requestDeadline: Int
    /// A PING is sent when nothing was received for so long. Default 60,000.
    public var pingInterval: Int
    /// The connection is closed when a PING isn't answered for so long. Default 10,000.
    public var pingTimeout: Int
    /// Our own bound on open streams; the server's MAX_CONCURRENT_STREAMS may be lower. Default 1,000.
    public var maximumStreams: Int
    /// Bytes of a response body that are kept; a longer one is cut and its stream reset. Default 65,536.
    public var maximumBody: Int
    /// The names (lower case) of the fields that are kept of an answer; nil, the default: all. A field that nobody reads costs an allocation.
    public var keptFields: [String]?
    /// The name of the connection's thread (its first 15 bytes).
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
