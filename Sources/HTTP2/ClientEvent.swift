/// What a client connection reports to its owner, on the connection's thread, in order.
///
/// `opened` comes at most once and first. `closed` comes exactly once and last.
public enum ClientEvent: Sendable {
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
