/// What an answer of Apple's asks for: one case per row of the table of answers.
public enum AnswerAction: Sendable, Equatable {
    /// Delivered to Apple.
    case accepted
    /// The device is gone: delete the token where its registration is older than `timestamp` (milliseconds since
    /// 1970), or than our send where Apple names none.
    case deleteToken(timestamp: Int64?)
    /// The token does not fit this environment or topic: refused, never deleted; its device is quarantined, or the lane
    /// stops, by the verdict of `VerdictWindow`.
    case quarantine
    /// This nudge is wrong: reject it, go on.
    case rejectNudge
    /// Only a bug of ours draws it: reject it, log an error.
    case ourBug
    /// The configuration is refused: stop the lane, keep the work.
    case stopLane(mend: String)
    /// The provider token is too old: one new token, on a new connection, then send again.
    case refreshToken
    /// Send again on a new connection, with the same token.
    case newConnection
    /// Rest this connection for 20 minutes, mint nothing.
    case restConnection
    /// This device later.
    case delayDevice(retryAfter: Int?)
    /// The connection idled too long: send again on a new one.
    case reconnect
    /// Apple has trouble: later. `drains`: this connection ends as well.
    case backOff(retryAfter: Int?, drains: Bool)
    /// An answer that the table does not know, with a status that is no 5xx: reject this push, nothing else.
    case reject
}
