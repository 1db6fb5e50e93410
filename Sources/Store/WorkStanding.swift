public import TimeZones

/// How the work stands: what `nudged status` asks the database. No count goes beyond `most`.
public struct WorkStanding: Sendable, Equatable {
    /// Where counting ends.
    public static let most = 10_000

    /// The database's clock.
    public var now: Instant
    /// Users who are due.
    public var dueUsers: Int
    /// Since when the first of them is.
    public var firstDue: Instant?
    /// Changes that no sweep has seen.
    public var touches: Int
    /// Chunks that are being sent, or were when their daemon died.
    public var openChunks: Int
    /// Their pushes.
    public var openPushes: Int
    /// Pushes of the last 24 hours of whose fate nobody knows.
    public var unknownPushes: Int
    /// Reminders for everyone that are not told to all yet; nil: none waits.
    public var spreads: WaitingSpreads?
    /// What the kill switch holds, or held until a moment ago.
    public var pauses: [Pause]
    /// Daemons that were seen within a day, the longest running first.
    public var daemons: [DaemonRow]

    /// All of them.
    public init(
        now: Instant,
        dueUsers: Int,
        firstDue: Instant?,
        touches: Int,
        openChunks: Int,
        openPushes: Int,
        unknownPushes: Int,
        spreads: WaitingSpreads? = nil,
        pauses: [Pause] = [],
        daemons: [DaemonRow]
    ) {
        self.now = now
        self.dueUsers = dueUsers
        self.firstDue = firstDue
        self.touches = touches
        self.openChunks = openChunks
        self.openPushes = openPushes
        self.unknownPushes = unknownPushes
        self.spreads = spreads
        self.pauses = pauses
        self.daemons = daemons
    }
}
