import APNs
import Policy
import Store
import TimeZones

/// Runs one user forward: asked when due, what is sent taken for accepted, asked again. By the sweep's own judge, so what it sends is what a sweep would
/// send if nobody changed anything and Apple took everything.
struct FutureUser {
    let judge: Judge
    /// The first instant of the forecast.
    let start: Instant
    /// The first that is no more of it.
    let end: Instant

    /// More questions than these nobody draws in a week; a rule that loops must not hold up the others.
    private static let mostQuestions = 5_000

    func run(_ claimed: ClaimedUser, into tally: inout ForecastTally) {
        var user = claimed
        var rested = ForecastTally.Reasons()
        tally.users += 1
        for _ in 0..<Self.mostQuestions {
            let now = max(start, dueAt(user))
            guard now < end else { break }
            let judgement = judge.judge(user, now: now)
            tally.add(judgement.records, at: now)
            switch judgement.verdict {
            case .rest(let update, let reason):
                rested.insert(reason)
                tally.rest(reason, at: now)
                user = user.settled(update)
            case .send(let nudge):
                tally.send(nudge, at: now)
                let settled = judge.settle(
                    nudge,
                    outcomes: nudge.targets.map { _ in .accepted },
                    attemptedAt: now,
                    now: now
                )
                user = user.settled(settled.update)
            case .ask:
                tally.unread += 1
                return
            }
        }
        tally.close(rested)
    }

    /// The policy's clock counts whole seconds, rounded down: who is due within its second is due.
    private func dueAt(_ user: ClaimedUser) -> Instant {
        let (seconds, rest) = user.dueAt.quotientAndRemainder(dividingBy: 1_000_000)
        return Instant(seconds: rest < 0 ? seconds - 1 : seconds)
    }
}
