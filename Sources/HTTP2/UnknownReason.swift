/// Why the outcome of a request is unknown. The request was completely written, or may have been.
public enum UnknownReason: Sendable, Equatable {
    /// No answer came before the deadline. The stream was reset.
    case deadline
    /// The server reset the stream with this code (RFC 9113 section 7).
    case reset(code: UInt32)
    /// The connection was lost.
    case connectionLost
    /// `close()` was called before the answer came.
    case closed
}
