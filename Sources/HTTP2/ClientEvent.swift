/// What a client connection tells its owner, on the connection's own thread, in order.
///
/// `opened` comes at most once and first; `closed` exactly once and last.
public enum ClientEvent: Sendable {
    /// The server's first SETTINGS frame has arrived: requests are written from now on, so many at a time.
    case opened(capacity: Int)
    /// The number of streams that may be open changed (the lower of the server's MAX_CONCURRENT_STREAMS and our own bound; may be 0).
    case capacity(Int)
    /// The requests that ended since the last wake-up, in the order of their ends.
    case completions([Completion])
    /// The server is going away; requests above `lastStreamID` and queued ones complete as unsent, those below are awaited, nothing new is taken.
    /// `debug` is the frame's debug data as text, at most 1,024 bytes of it.
    case goaway(lastStreamID: Int32, code: UInt32, debug: String)
    /// The connection is no more; every request that was taken has completed.
    case closed(CloseReason)
}
