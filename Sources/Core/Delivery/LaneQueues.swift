import TimeZones

/// Users that wait for a lane's dispatcher. Bounded: all others stay in the database.
final class LaneQueues: Sendable {
    private struct Queue: Sendable {
        var users: [PlannedUser] = []
        var isServed = false
        /// CLOCK_BOOTTIME milliseconds since when the lane takes less than arrives. nil: it takes everything.
        var fullSince: Int64?
        /// The latest instant at which users who were postponed for this lane are due again.
        var postponedUntil: Instant?
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

    /// Notes whether a lane takes everything, or since when it does not.
    func note(_ lane: LaneIdentity, isFull: Bool, now: Int64) {
        change(lane) { $0.fullSince = isFull ? $0.fullSince ?? now : nil }
    }

    func fullSince(_ lane: LaneIdentity) -> Int64? { queues.withLock { $0[lane]?.fullSince } }

    func notePostponed(_ lane: LaneIdentity, until instant: Instant) {
        change(lane) { $0.postponedUntil = max($0.postponedUntil ?? instant, instant) }
    }

    private func change(_ lane: LaneIdentity, _ body: (inout Queue) -> Void) {
        queues.withLock { body(&$0[lane, default: Queue()]) }
    }

    func isAnyonePostponed(_ lane: LaneIdentity, at now: Instant) -> Bool {
        queues.withLock { $0[lane]?.postponedUntil.map { $0 > now } ?? false }
    }
}
