import Planning
import APNs
import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Runs one user forward: asked when due, what is sent taken for accepted, asked again. By the sweep's own planner, so what it sends is what a sweep would
/// send if nobody changed anything and Apple took everything.
struct FutureUser {
    let planner: Planner
    /// The first instant of the forecast.
    let start: Instant
    /// The first that is no more of it.
    let end: Instant

    /// More questions than these nobody draws in a week; a rule that loops must not hold up the others.
    private static let mostQuestions = 5_000

    func run(_ claimed: ClaimedUser, into tally: inout ForecastTally) {
        var user = claimed.asRead
        var rested = ForecastTally.Reasons()
        tally.users += 1
        for _ in 0..<Self.mostQuestions {
            let now = max(start, dueAt(user))
            guard now < end else { break }
            let plan = planner.plan(user, now: now)
            switch plan {
            case .nothing(let rest, let reason, _):
                rested.insert(reason)
                tally.rest(reason, at: now)
                tally.add(rest.records, at: now)
                user = user.settled(rest.update, ended: Self.texts(rest.ended), continued: rest.continued)
            case .send(let sendPlan, _):
                tally.send(sendPlan, at: now)
                tally.add(sendPlan.records, at: now)
                let settled = planner.settle(
                    sendPlan,
                    outcomes: Array(repeating: .accepted, count: sendPlan.pushCount),
                    attemptedAt: now,
                    now: now
                )
                user = user.settled(
                    settled.update,
                    ended: Self.texts(settled.ended),
                    continued: settled.continued
                )
            case .unreadable:
                tally.unread += 1
                return
            }
        }
        tally.close(rested)
    }

    private static func texts(_ ended: [NudgeIdentity]) -> Set<UUID> {
        Set(ended.lazy.filter { $0.kind != .checkIn }.compactMap { UUID(uuidString: $0.key) })
    }

    /// The policy's clock counts whole seconds, rounded down: who is due within its second is due.
    private func dueAt(_ user: ClaimedUser) -> Instant {
        let (seconds, rest) = user.dueAt.quotientAndRemainder(dividingBy: 1_000_000)
        return Instant(seconds: rest < 0 ? seconds - 1 : seconds)
    }
}

extension ClaimedUser {
    /// With the messages and reminders that were read and no others: a thousand of one user's are enough to look ahead.
    fileprivate var asRead: ClaimedUser {
        var changes = changes
        changes.hasMoreMessages = false
        changes.reminders.isPartial = false
        return with(changes)
    }
}
