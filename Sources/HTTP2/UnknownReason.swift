/// Why nobody can say what became of a request that was (or may have been) wholly written.
public enum UnknownReason: Sendable, Equatable {
    /// No answer until the deadline; the stream was reset.
    case deadline
    /// The server reset the stream with this code (RFC 9113 section 7).
    case reset(code: UInt32)
    /// The connection was lost.
    case connectionLost
    /// `close()` was called before the answer came.
    case closed
}
