/// What the simulator does with one good request.
public indirect enum ScriptedAnswer: Sendable, Equatable {
    /// 200, and the push is in the log.
    case accept
    /// A status with Apple's JSON: reason, and `timestamp` (milliseconds since 1970) and `Retry-After` (seconds) where given.
    case answer(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Int? = nil)
    /// A status with any body at all, also none.
    case rawBody(status: Int, bytes: [UInt8])
    /// A status and body whose stream never ends.
    case unfinished(status: Int, bytes: [UInt8])
    /// The same later.
    case delay(Duration, then: ScriptedAnswer)
    /// Kept until `APNsSimulator.release()`, and then answered so: a push that is in flight for as long as a test wants.
    case held(then: ScriptedAnswer)
    /// No answer.
    case silence
    /// RST_STREAM with this code (RFC 9113 section 7; 7 is REFUSED_STREAM).
    case reset(code: UInt32)
    /// The TCP connection is reset; no answer.
    case closeTCP
    /// The connection is closed by FIN without GOAWAY; no answer.
    case close
    /// GOAWAY, then the answer where this stream is not above the last stream id.
    case goAway(GoAwayExtent, code: UInt32 = 0, reason: String = "", then: ScriptedAnswer)
    /// Does something to the connection first.
    case doing(ConnectionAction, then: ScriptedAnswer)
    /// The push is in the log as accepted, whatever is answered: a push that arrived and whose answer did not.
    case accepted(then: ScriptedAnswer)

    /// 410 Unregistered, with the instant (milliseconds since 1970) from which on the token is known to be dead.
    public static func unregistered(timestamp: Int64?) -> ScriptedAnswer {
        .answer(status: 410, reason: "Unregistered", timestamp: timestamp)
    }

    /// How far a GOAWAY reaches.
    public enum GoAwayExtent: Sendable, Equatable {
        /// All streams are processed: the first of two GOAWAYs.
        case none
        /// Streams above this request's are not processed.
        case afterThis
        /// Neither is this one.
        case beforeThis
    }
}
