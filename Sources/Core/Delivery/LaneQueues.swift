import Base
import TimeZones

import struct FoundationEssentials.UUID

/// Users that wait for a lane's dispatcher. Bounded: all others stay in the database.
final class LaneQueues: Sendable {
    private struct Queue: Sendable {
        var users: [PlannedUser] = []
        var isServed = false
        var backlog = Backlog()
    }

    private let queues = Monitor<[LaneIdentity: Queue]>([:])

    func count(_ lane: LaneIdentity) -> Int { queues.withLock { $0[lane]?.users.count ?? 0 } }

    /// Adds users. Returns whether the caller must start a dispatcher for the lane.
    func add(_ users: [PlannedUser], to lane: LaneIdentity) -> Bool {
        queues.withLock { queues in
            queues[lane, default: Queue()].users += users
            defer { queues[lane]?.isServed = true }
            return queues[lane]?.isServed == false
        }
    }

    /// The pushes that wait for a lane, counted up to `limit`. nil: none wait, and the dispatcher ends.
    func pushCount(_ lane: LaneIdentity, upTo limit: Int) -> Int? {
        queues.withLock { queues in
            guard let queue = queues[lane], !queue.users.isEmpty else {
                queues[lane]?.isServed = false
                return nil
            }
            var count = 0
            for user in queue.users {
                count += user.plan.pushCount
                if count >= limit { return limit }
            }
            return count
        }
    }

    /// Takes whole users as long as they fit. A first user with more pushes than fit is split.
    func take(upTo limit: Int, from lane: LaneIdentity) -> [PlannedUser] {
        queues.withLock { queues in
            guard limit > 0, var queue = queues.removeValue(forKey: lane) else { return [] }
            defer { queues[lane] = queue }
            let (whole, split) = SendPlan.fit(queue.users.lazy.map(\.plan), upTo: limit)
            var taken = Array(queue.users.prefix(whole))
            if let split { taken.append(PlannedUser(plan: split, held: queue.users[whole].held)) }
            queue.users.removeFirst(taken.count)
            return taken
        }
    }

    /// Waits until one of these lanes has at most `count` users left.
    func wait(for lanes: [LaneIdentity], atMost count: Int, milliseconds: Int64) async {
        await queues.wait(atMost: milliseconds) { queues in lanes.contains { (queues[$0]?.users.count ?? 0) <= count } }
    }

    func backlog<Result: Sendable>(of lane: LaneIdentity, _ body: (inout Backlog) -> Result) -> Result {
        queues.withLock { body(&$0[lane, default: Queue()].backlog) }
    }
}

/// What a lane, or the decision service, is behind with. Its users are postponed, because each sweep would pass over all
/// of them to find the others.
struct Backlog: Sendable {
    /// CLOCK_BOOTTIME milliseconds since when less is taken than arrives. nil: everything is taken.
    private(set) var fullSince: Int64?
    /// The latest instant at which postponed users are due again.
    private var postponedUntil: Instant?

    mutating func note(isFull: Bool, now: Int64) { fullSince = isFull ? fullSince ?? now : nil }

    /// - Parameter boot: CLOCK_BOOTTIME milliseconds.
    mutating func postpone(_ user: PlannedUser, now: Instant, boot: Int64, atMost latest: Instant? = nil)
        -> Postponement
    {
        var until = Self.until(now, full: boot - (fullSince ?? boot), user.plan.userID, boot: boot)
        if let latest { until = min(until, latest) }
        postponedUntil = max(postponedUntil ?? until, until)
        return Postponement(userID: user.plan.userID, version: user.plan.row.version, until: until)
    }

    func isAnyonePostponed(at now: Instant) -> Bool { postponedUntil.map { $0 > now } ?? false }

    /// The wait is as long as it has been full (`full`, milliseconds): 1 to 450 seconds. So a long stop costs each user
    /// few updates, and a short one a few seconds. Jitter, another each time, doubles the wait at most, so that its end
    /// is no burst.
    static func until(_ now: Instant, full: Int64, _ user: UUID, boot: Int64) -> Instant {
        let wait = min(max(full / 1000, 1), 450)
        return now + wait + Int64((user.stableHash &+ UInt64(bitPattern: boot)) % UInt64(wait + 1))
    }
}
