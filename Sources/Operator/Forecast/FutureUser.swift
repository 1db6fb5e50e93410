import Core
import APNs
import Policy
import TimeZones

import struct FoundationEssentials.UUID

/// Runs one user forward: evaluates them when they are due, counts what is sent as accepted, and goes on.
///
/// It uses the sweep's planner. So it sends what a sweep would send if nothing changed and Apple accepted every push.
struct FutureUser {
    let planner: Planner
    let start: Instant
    let end: Instant

    /// After so many evaluations the future ends. No user needs so many in a week. The bound stops a rule that loops.
    var mostEvaluations = 5_000

    func run(_ claimed: ClaimedUser, into tally: inout ForecastTally) {
        var rested: Set<Reason> = []
        var isRead = true
        tally.users += 1
        walk(claimed) { now, plan in
            tally.add(plan.records, at: now)
            switch plan {
            case .nothing(_, let reason, _):
                rested.insert(reason)
                tally.rest(reason, at: now)
            case .send(let sendPlan, _): tally.send(sendPlan, at: now)
            case .unreadable:
                tally.unread += 1
                isRead = false
            }
            return true
        }
        if isRead { tally.close(rested) }
    }

    /// Evaluates the user whenever they are due, until the end or until `visit` returns false. If the zone can't be
    /// read, it ends there.
    ///
    /// - Returns: the user after the last evaluation.
    @discardableResult
    func walk(_ claimed: ClaimedUser, _ visit: (_ now: Instant, _ plan: Plan) -> Bool) -> ClaimedUser {
        var user = claimed.asRead
        for _ in 0..<mostEvaluations {
            let now = max(start, user.dueInstant)
            guard now < end else { break }
            let plan = planner.plan(user, now: now)
            let goesOn = visit(now, plan)
            switch plan {
            case .nothing(let rest, _, _):
                user = user.settled(rest)
            case .send(let sendPlan, _):
                let settled = planner.settle(
                    sendPlan,
                    outcomes: Array(repeating: .accepted, count: sendPlan.pushCount),
                    attemptedAt: now,
                    now: now
                )
                user = user.settled(settled)
            case .unreadable: return user
            }
            if !goesOn { break }
        }
        return user
    }
}

extension ClaimedUser {
    /// The policy's clock has whole seconds, rounded down. A user who is due within its second is due.
    var dueInstant: Instant {
        let (seconds, rest) = self.dueAt.quotientAndRemainder(dividingBy: 1_000_000)
        return Instant(seconds: rest < 0 ? seconds - 1 : seconds)
    }

    /// Without the flags that more messages or reminders are stored: those that were read are enough for a forecast.
    fileprivate var asRead: ClaimedUser {
        var changes = values
        changes.hasMoreMessages = false
        changes.reminders.isPartial = false
        return ClaimedUser(changes)
    }
}
