/// Why a client connection is closed.
public struct CloseReason: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that a caller may treat differently.
    public enum Code: Sendable, Equatable {
        /// `close()` was called.
        case closed
        /// `drain()` was called and everything in flight has ended.
        case drained
        /// The server sent GOAWAY with this code, and then the connection ended.
        case goaway(code: UInt32)
        /// The host name has no address, or can't be resolved now.
        case resolve
        /// No address accepted a TCP connection in time.
        case connect
        /// The server's certificate was refused (untrusted, expired, wrong host name). No byte of a request was sent.
        case certificate
        /// The server doesn't support HTTP/2 over TLS (no ALPN `h2`). No byte of a request was sent.
        case noHTTP2
        /// The handshake failed or took too long, or the trust store can't be read. No byte of a request was sent.
        case handshake
        /// The server violated HTTP/2 (RFC 9113 section 5.4.1).
        case protocolError
        /// The server sent too many frames that answered no request.
        case flooded
        /// A PING had no answer in time.
        case pingTimeout
        /// The server closed or the network broke the connection.
        case lost
    }

    /// The kind of reason.
    public let code: Code
    /// A text for the log, with the remedy if there is one. Holds no secrets and no payload.
    public let context: String

    /// A reason of kind `code`.
    public init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    /// The text for the log.
    public var description: String { context }
}
