/// What to do after an answer from Apple.
public enum AnswerAction: Sendable, Equatable {
    /// Apple accepted the push.
    case accepted
    /// The device is gone. Delete the token if it was registered before `timestamp` (milliseconds since 1970). Without
    /// a timestamp, if it was registered before the push was sent.
    case deleteToken(timestamp: Int64?)
    /// The token doesn't fit this environment or topic. It is never deleted. `RefusalWindow` decides whether its device
    /// is quarantined or the lane stops.
    case quarantine
    /// This nudge is wrong: reject it and go on.
    case rejectNudge
    /// Only a bug in nudged can cause this: reject the push, log an error.
    case ourBug
    /// Apple refuses the configuration: stop the lane, keep the work.
    case stopLane(remedy: String)
    /// The provider token is too old: send again with a new token on a new connection.
    case refreshToken
    /// Send again on a new connection, with the same token.
    case newConnection
    /// Rest this connection for 20 minutes and sign no new token.
    case restConnection
    /// Send to this device later.
    case delayDevice(retryAfter: Int?)
    /// The connection was idle too long: send again on a new one.
    case reconnect
    /// Apple has trouble: send later. `drains`: this connection ends as well.
    case backOff(retryAfter: Int?, drains: Bool)
    /// An unknown answer below 500: reject this push, do nothing else.
    case reject
}
