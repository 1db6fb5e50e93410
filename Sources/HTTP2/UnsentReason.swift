/// Why a request counts as unsent: the server can't have received all of it, or said that it didn't process it.
public enum UnsentReason: Sendable, Equatable {
    /// `Request.writeBy` passed before it was written.
    case tooLate
    /// The server refused the stream (REFUSED_STREAM, RFC 9113 section 8.7).
    case refused
    /// The server sent GOAWAY: the stream was above its last stream id, or not open yet.
    case goaway
    /// The stream was reset with this code before the request was completely written.
    case reset(code: UInt32)
    /// The deadline passed before the request was completely written (flow control, a full socket).
    case deadline
    /// The connection was never opened, or was lost, before the request was completely written.
    case connectionLost
    /// `drain()` or `close()` came before the request was completely written.
    case closed
    /// The request isn't valid HTTP/2, or its path and varying fields are over 8 KiB.
    case malformed
}
