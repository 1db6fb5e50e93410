import Planning
import Postgres
import Store
import TimeZones

extension Sweeper {
    /// A user whose zone could not be read.
    typealias Undecided = (user: ClaimedUser, error: TimeZoneError)

    /// Users whose zones could not be read go back as they are, to be asked again in a minute: neither held for a day nor decided with another zone.
    /// Where the database does not take it, their lease ends by itself.
    func askAgain(_ undecided: [Undecided], _ batch: Batch, _ run: SweepRun) async {
        guard let first = undecided.first else { return }
        run.report.resting[SweepReport.zonesUnread, default: 0] += undecided.count
        onEvent(.zonesUnread(first.error, users: undecided.count))
        let now = clock.now ?? batch.now
        try? await store.postpone(
            undecided.map { user, _ in
                Postponement(userID: user.userID, version: user.version, until: judge.askAgainAt(user.userID, now: now))
            },
            leaseID: batch.leaseID
        )
    }
}
