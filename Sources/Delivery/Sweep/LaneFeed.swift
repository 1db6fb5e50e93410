import Planning
import TimeZones

import struct FoundationEssentials.UUID

/// What a lane has been given to send and has not sent yet. Bounded: what goes beyond stays in the database.
struct LaneFeed {
    /// Part of a claimed batch.
    struct Portion {
        let batch: Sweeper.Batch
        let run: SweepRun
        var turns: ArraySlice<PlannedTurn>
        /// CLOCK_BOOTTIME milliseconds at which the lease of these users ends, unless it is renewed.
        var leaseEnd: Int64
        /// That it ends then has been, or is being, asked of the database for these users: of whoever joined now it would not be so.
        var isRenewed = false
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

    /// A user whose answers are in: to those of the same claim that wait already, so that one chunk takes them. False: there are none with the same lease's end.
    mutating func join(_ turn: PlannedTurn, _ batch: Sweeper.Batch, _ run: SweepRun) -> Bool {
        // Never to the first, which may be at its end.
        guard portions.count > 1, let last = portions.last, !last.isRenewed, last.batch.leaseID == batch.leaseID,
            last.run === run
        else { return false }
        portions[portions.count - 1].turns.append(turn)
        return true
    }

    /// The users of a portion whose lease is to be renewed now, where less than `half` of it is left; nil: it lasts, or nobody waits there.
    mutating func renewing(_ place: Int, asked: Int64, half: Int64) -> [PlannedTurn]? {
        guard portions[place].leaseEnd - asked < half, !portions[place].turns.isEmpty else { return nil }
        portions[place].isRenewed = true
        return Array(portions[place].turns)
    }

    /// What the database said of them.
    ///
    /// - Parameters:
    ///   - kept: who is still ours; nil: it did not say, and their lease ends by itself.
    ///   - leaseEnd: theirs, from now on.
    mutating func renewed(_ place: Int, _ asked: [PlannedTurn], kept: Set<UUID>?, leaseEnd: Int64) {
        let lost = Set(asked.map(\.userID)).subtracting(kept ?? [])
        // Those of now, and not those of before the question: the feed has gone on.
        portions[place].turns = portions[place].turns.filter { !lost.contains($0.userID) }[...]
        if kept != nil { portions[place].leaseEnd = leaseEnd }
    }
}
