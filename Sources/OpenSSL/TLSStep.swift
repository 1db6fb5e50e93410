/// What one non-blocking TLS operation came to.
public enum TLSStep: Sendable, Equatable {
    /// So many plain bytes were read or accepted, always at least 1; for a handshake: it is done (0).
    case done(Int)
    /// Go on once the descriptor is readable.
    case wantsRead
    /// Go on once the descriptor is writable, with the same bytes first.
    case wantsWrite
    /// The peer ended the stream properly (close_notify).
    case closed
}
