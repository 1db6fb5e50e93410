/// What the sender tells its log. None holds a token, a key, a payload or a device.
public enum SenderEvent: Sendable, Equatable {
    /// Apple refuses the configuration; the work stays pending.
    case laneStopped(reason: String, mend: String)
    /// A probe was accepted, or the configuration was changed.
    case laneResumed
    /// TLS and SETTINGS are through.
    case connectionOpened(connection: Int, streams: Int)
    /// A connection ended, or could not be made. `retryInMilliseconds`: the pause before the next try, 0 for none.
    case connectionLost(connection: Int, why: String, retryInMilliseconds: Int64)
    /// A connection is given up, since so many pushes in a row were not answered on it.
    case connectionSilent(connection: Int, unanswered: Int)
    /// Apple closes a connection in good order; `reason` from its debug data.
    case goAway(connection: Int, reason: String)
    /// A connection takes nothing for 20 minutes (TooManyProviderTokenUpdates).
    case connectionResting(connection: Int, until: Int64)
    /// A provider token was signed; `issuedAt` in Unix seconds.
    case tokenMinted(keyID: String, issuedAt: Int64)
    /// 5xx answers since the last such line, one line an interval.
    case storm(count: Int, lastStatus: Int, lastReason: String)
    /// An answer that only a bug of ours can draw.
    case ourBug(status: Int, reason: String)
}
