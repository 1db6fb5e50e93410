import Planning
import APNs
import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Runs one user forward: evaluates them when they are due, counts what is sent as accepted, and goes on.
///
/// It uses the sweep's planner. So it sends what a sweep would send if nothing changed and Apple accepted every push.
struct FutureUser {
    let planner: Planner
    /// The first instant of the forecast.
    let start: Instant
    /// The first instant after the forecast.
    let end: Instant

    /// No user needs so many evaluations in a week. The bound stops a rule that loops.
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

    /// The policy's clock has whole seconds, rounded down. A user who is due within its second is due.
    private func dueAt(_ user: ClaimedUser) -> Instant {
        let (seconds, rest) = user.dueAt.quotientAndRemainder(dividingBy: 1_000_000)
        return Instant(seconds: rest < 0 ? seconds - 1 : seconds)
    }
}

extension ClaimedUser {
    /// Without the flags that more messages or reminders are stored: those that were read are enough for a forecast.
    fileprivate var asRead: ClaimedUser {
        var changes = changes
        changes.hasMoreMessages = false
        changes.reminders.isPartial = false
        return with(changes)
    }
}
