public import HTTP2

/// A server's reply to a request.
public enum ServerReply: Sendable {
    /// Answers, at once or after a delay.
    case respond(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], after: Duration? = nil)
    /// Answers but never ends the stream: HEADERS and DATA without END_STREAM.
    case unfinished(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], after: Duration? = nil)
    /// Sends an informational status (1xx), then the next reply.
    indirect case informational(status: Int, then: ServerReply)
    /// Resets the stream with this code (RFC 9113 section 7; 7 is REFUSED_STREAM).
    case reset(code: UInt32, after: Duration? = nil)
    /// Doesn't answer; `ServerConnection.reply` may do so later.
    case silence
}
