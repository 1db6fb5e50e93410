/// Why a request counts as never sent: the server can't have seen all of it, or said that it didn't process it.
public enum UnsentReason: Sendable, Equatable {
    /// `Request.writeBy` passed before it was written.
    case tooLate
    /// The server refused the stream (REFUSED_STREAM, RFC 9113 section 8.7).
    case refused
    /// The server is going away: the stream was above the last stream id, or not yet open.
    case goaway
    /// The stream was reset with this code before the request was wholly written.
    case reset(code: UInt32)
    /// The deadline passed before the request was wholly written (flow control, a full socket).
    case deadline
    /// The connection was never opened, or was lost, before the request was wholly written.
    case connectionLost
    /// `drain()` or `close()` came before the request was wholly written.
    case closed
    /// The request can't be put into HTTP/2: its head is over 8 KiB, or malformed.
    case malformed
}
