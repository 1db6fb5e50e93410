/// The simulator's answer to one valid request.
public indirect enum ScriptedAnswer: Sendable, Equatable {
    /// 200, and the push is logged as accepted.
    case accept
    /// A status with Apple's JSON: the reason, `timestamp` (milliseconds since 1970) and `Retry-After` (seconds) if
    /// given.
    case answer(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Int? = nil)
    /// A status with any body, or none.
    case rawBody(status: Int, bytes: [UInt8])
    /// A status and body, but the stream never ends.
    case unfinished(status: Int, bytes: [UInt8])
    /// The next answer after a delay.
    case delay(Duration, then: ScriptedAnswer)
    /// Held until `APNsSimulator.release()`, then answered. So a test decides how long a push is in flight.
    case held(then: ScriptedAnswer)
    /// No answer.
    case silence
    /// RST_STREAM with this code (RFC 9113 section 7; 7 is REFUSED_STREAM).
    case reset(code: UInt32)
    /// The TCP connection is reset, without an answer.
    case closeTCP
    /// The connection is closed with FIN, without GOAWAY and without an answer.
    case close
    /// GOAWAY, then the answer if this stream is not above the last stream id.
    case goAway(GoAwayExtent, code: UInt32 = 0, reason: String = "", then: ScriptedAnswer)
    /// Performs an action on the connection first.
    case doing(ConnectionAction, then: ScriptedAnswer)
    /// Logs the push as accepted, whatever the answer is: Apple has the push, but its answer may not arrive.
    case accepted(then: ScriptedAnswer)

    /// 410 Unregistered. `timestamp`: since when the token is dead, in milliseconds since 1970.
    public static func unregistered(timestamp: Int64?) -> ScriptedAnswer {
        .answer(status: 410, reason: "Unregistered", timestamp: timestamp)
    }

    /// How far a GOAWAY reaches.
    public enum GoAwayExtent: Sendable, Equatable {
        /// All streams are processed, as in the first of two GOAWAYs.
        case none
        /// Streams above this request's stream are not processed.
        case afterThis
        /// This request's stream and those above are not processed.
        case beforeThis
    }
}
