/// The result of one non-blocking TLS operation.
public enum TLSStep: Sendable, Equatable {
    /// This many plain bytes were read or accepted, at least 1. For a handshake: it is complete (0).
    case done(Int)
    /// Continue when the descriptor is readable.
    case wantsRead
    /// Continue when the descriptor is writable, with the same bytes first.
    case wantsWrite
    /// The peer ended the stream with close_notify.
    case closed
}
