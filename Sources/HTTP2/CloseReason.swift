/// Why a client connection is closed.
public struct CloseReason: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that a caller may want to treat differently.
    public enum Code: Sendable, Equatable {
        /// `close()` was called.
        case closed
        /// `drain()` was called and everything in flight has ended.
        case drained
        /// The server said GOAWAY with this code, and everything in flight has ended.
        case goaway(code: UInt32)
        /// The host name has no address, or can't be resolved now.
        case resolve
        /// No address accepted a TCP connection in time.
        case connect
        /// The server's certificate was refused (untrusted, expired, wrong host name). No request byte was sent.
        case certificate
        /// The server doesn't speak HTTP/2 over TLS (no ALPN `h2`). No request byte was sent.
        case noHTTP2
        /// The handshake failed or took too long, or the trust store can't be read. No request byte was sent.
        case handshake
        /// The server broke HTTP/2 (RFC 9113 section 5.4.1).
        case protocolError
        /// A PING had no answer in time.
        case pingTimeout
        /// The server closed or the network broke the connection.
        case lost
    }

    /// What kind it is.
    public let code: Code
    /// Words for the log, with the mend where there is one; free of secrets and payload.
    public let context: String

    /// A reason of kind `code`.
    public init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    /// The words for the log.
    public var description: String { context }
}
