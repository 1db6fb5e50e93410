public import OpenSSL

/// How a server listens, and its first frames on each connection.
public struct ServerConfiguration: Sendable {
    /// The numeric address to listen on, `127.0.0.1` or `::1`.
    public var address: String
    /// Further numeric addresses on the same port, such as `::1` beside `127.0.0.1`. Default none.
    public var furtherAddresses: [String]
    /// The TCP port; 0 takes any free one, see `Server.port`.
    public var port: UInt16
    /// The certificate chain, leaf first.
    public var certificate: PEMSource
    /// The leaf's private key.
    public var key: PEMSource
    /// Whether TLS handshakes are answered. If false, TCP connections are accepted, but nothing is read or written.
    public var shakesHands: Bool
    /// Whether ALPN `h2` is agreed on. False imitates a server without HTTP/2.
    public var offersHTTP2: Bool
    /// Limits the server to TLS 1.2 with these suites, as ciphers(1) writes them. Nil: all that OpenSSL offers.
    public var suites: String?
    /// MAX_CONCURRENT_STREAMS in the first SETTINGS frame; nil leaves it out. Default 1,000.
    public var maxConcurrentStreams: UInt32?
    /// INITIAL_WINDOW_SIZE in the first SETTINGS frame: the bytes of a body that need no WINDOW_UPDATE. Default 1 MiB.
    public var initialWindowSize: UInt32
    /// The window of the whole connection. Default 64 MiB, at least 65,535 (RFC 9113 section 6.9.2).
    public var connectionWindowSize: UInt32
    /// Whether WINDOW_UPDATE frames are sent as bodies are read.
    public var updatesWindows: Bool
    /// Whether PING frames are answered.
    public var answersPings: Bool

    /// The defaults for a loopback server.
    public init(certificate: PEMSource, key: PEMSource, address: String = "127.0.0.1", port: UInt16 = 0) {
        self.address = address
        self.port = port
        self.certificate = certificate
        self.key = key
        furtherAddresses = []
        shakesHands = true
        offersHTTP2 = true
        maxConcurrentStreams = 1_000
        initialWindowSize = 1 << 20
        connectionWindowSize = 1 << 26
        updatesWindows = true
        answersPings = true
    }
}
