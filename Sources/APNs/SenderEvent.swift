/// What the sender reports to its log. No case holds a token, a key, a payload or a device.
package enum SenderEvent: Sendable, Equatable {
    /// Apple refuses the configuration. The work stays pending.
    case laneStopped(reason: String, remedy: String)
    /// A probe was accepted, or the configuration changed.
    case laneResumed
    /// TLS and SETTINGS are complete.
    case connectionOpened(connection: Int, streams: Int, server: SenderConfiguration.Endpoint)
    /// A connection ended, or could not be made. `retryInMilliseconds`: the wait before the next attempt, or 0.
    case connectionLost(connection: Int, why: String, retryInMilliseconds: Int64)
    /// A connection is given up because so many pushes in a row got no answer.
    case connectionSilent(connection: Int, unanswered: Int)
    /// Apple sent GOAWAY. `reason` comes from its debug data.
    case goAway(connection: Int, reason: String)
    /// A connection accepts no pushes for 20 minutes (TooManyProviderTokenUpdates).
    case connectionResting(connection: Int, until: Int64)
    /// A provider token was signed. `issuedAt` is in Unix seconds.
    case tokenMinted(keyID: String, issuedAt: Int64)
    /// The number of 5xx answers since the last such event. At most one event per interval.
    case storm(count: Int, lastStatus: Int, lastReason: String)
    /// An answer that only a bug in nudged can cause.
    case ourBug(status: Int, reason: String)
}
