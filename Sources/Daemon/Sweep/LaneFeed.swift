import TimeZones

/// What a lane has been given to send and has not sent yet. Bounded: what goes beyond stays in the database.
struct LaneFeed {
    /// Part of a claimed batch.
    struct Portion {
        let batch: Sweeper.Batch
        let run: SweepRun
        var turns: ArraySlice<PlannedTurn>
        /// CLOCK_BOOTTIME milliseconds at which the lease of these users ends, unless it is renewed.
        var leaseEnd: Int64
    }

    /// The first is being sent.
    var portions: [Portion] = []
    /// Pushes whose intents are open.
    var openPushes = 0
    var isFeeding = false
    /// CLOCK_BOOTTIME milliseconds since when it takes less than comes; nil: it takes all.
    var crowdedSince: Int64?

    /// The last instant at which users who stepped aside for it come again.
    var asideUntil: Instant?

    /// Users that wait.
    var backlog: Int { portions.reduce(0) { $0 + $1.turns.count } }
}
