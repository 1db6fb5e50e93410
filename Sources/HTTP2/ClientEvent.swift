/// What a client connection reports to its owner, on the connection's thread, in order.
///
/// `opened` comes at most once and first. `closed` comes exactly once and last.
package enum ClientEvent: Sendable {
    /// The server's first SETTINGS frame has arrived. Requests are written from now on, at most `capacity` at a time.
    case opened(capacity: Int)
    /// The number of streams that may be open has changed. It is the lower of the server's MAX_CONCURRENT_STREAMS and
    /// `maximumStreams`, and may be 0.
    case capacity(Int)
    /// The requests that ended since the last wake-up, in the order in which they ended.
    case completions([Completion])
    /// The server sent GOAWAY. Requests above `lastStreamID` and queued ones complete as unsent. Those below are
    /// awaited, and nothing new is started. `debug` is the frame's debug data as text, at most 1,024 bytes of it.
    case goaway(lastStreamID: Int32, code: UInt32, debug: String)
    /// The connection has ended. Every accepted request has completed.
    case closed(CloseReason)
}

/// Why a client connection is closed.
package struct CloseReason: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
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

    package let code: Code
    /// A text for the log, with the remedy if there is one. Holds no secrets and no payload.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
