package import TimeZones

/// How the work stands: what `nudged status` asks the database. No count goes beyond `most`.
package struct WorkStanding: Sendable, Equatable {
    /// Where counting ends.
    package static let most = 10_000

    /// The database's clock.
    package var now: Instant
    /// Users who are due.
    package var dueUsers: Int
    /// Since when the first of them is.
    package var firstDue: Instant?
    /// Changes that no sweep has seen.
    package var touches: Int
    /// Intents that are being sent, or were when their daemon died.
    package var openIntents: Int
    /// Their pushes.
    package var openPushes: Int
    /// Pushes of the last 24 hours of whose fate nobody knows.
    package var unknownPushes: Int
    /// Ranges that nobody owns, of 64.
    package var freeRanges: Int
    /// Reminders for everyone that are not told to all yet; nil: none waits.
    package var spreads: WaitingSpreads?
    /// What the kill switch holds, or held until a moment ago.
    package var pauses: [Pause]
    /// Daemons that were seen within a day, the longest running first.
    package var daemons: [DaemonRow]

    package init(
        now: Instant,
        dueUsers: Int,
        firstDue: Instant?,
        touches: Int,
        openIntents: Int,
        openPushes: Int,
        unknownPushes: Int,
        freeRanges: Int = 0,
        spreads: WaitingSpreads? = nil,
        pauses: [Pause] = [],
        daemons: [DaemonRow]
    ) {
        self.now = now
        self.dueUsers = dueUsers
        self.firstDue = firstDue
        self.touches = touches
        self.openIntents = openIntents
        self.openPushes = openPushes
        self.unknownPushes = unknownPushes
        self.freeRanges = freeRanges
        self.spreads = spreads
        self.pauses = pauses
        self.daemons = daemons
    }
}
