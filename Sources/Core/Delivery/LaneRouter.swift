import APNs
import Base
import TimeZones

import struct FoundationEssentials.UUID

/// Puts planned users into their lanes' queues. With several lanes, users of a full lane are postponed.
struct LaneRouter: Sendable {
    let delivery: DeliveryContext
    let settler: Settler

    /// Users claimed to probe a stopped lane. The probe itself is one push.
    static let probeUsers = 16

    typealias Aside = (user: PlannedUser, lane: LaneIdentity)

    /// Assigns each user to a lane with room; their other devices follow. Aside: users whose lanes are all full.
    func share(_ users: [PlannedUser]) -> (slices: [(lane: LaneIdentity, users: [PlannedUser])], aside: [Aside]) {
        // A lane with this many users is full. With a third of them, it gets more (`Claimer`).
        let mostUsers = 3 * delivery.terms.settings.batch
        // The lanes that take users now, and how many each takes.
        typealias Open = (lane: LaneIdentity, room: Int, users: [PlannedUser])
        var open = delivery.lanes.all.compactMap { lane, sender -> Open? in
            if sender.isBlocked || delivery.queues.count(lane) >= mostUsers { return nil }
            return (lane, sender.isStopped ? Self.probeUsers : .max, [])
        }
        var aside: [Aside] = []
        // A list search: there are few lanes, and hashing two strings for each user takes longer.
        func place(of lane: LaneIdentity) -> Int? { open.firstIndex { $0.lane == lane && $0.room > 0 } }
        for user in users {
            guard let lane = user.plan.lane(preferring: { place(of: $0) != nil }) else { continue }
            guard let place = place(of: lane) else {
                aside.append((user, lane))
                continue
            }
            open[place].users.append(PlannedUser(plan: user.plan.part(for: lane), held: user.held))
            open[place].room -= 1
        }
        let now = BootTime.milliseconds()
        let fullLanes = Set(aside.map(\.lane))
        for lane in fullLanes { delivery.queues.backlog(of: lane) { $0.note(isFull: true, now: now) } }
        for one in open where one.room > Self.probeUsers && !fullLanes.contains(one.lane) {
            delivery.queues.backlog(of: one.lane) { $0.note(isFull: false, now: now) }
        }
        return (open.filter { !$0.users.isEmpty }.map { (lane: $0.lane, users: $0.users) }, aside)
    }

    func append(_ users: [PlannedUser], to lane: LaneIdentity) {
        guard !users.isEmpty, delivery.queues.add(users, to: lane) else { return }
        let dispatcher = Dispatcher(lane: lane, router: self)
        Task { await dispatcher.run() }
    }

    /// Postpones users whose lane takes nothing. With one lane they stay due: then nothing is claimed anyway.
    func stepAside(_ aside: [Aside]) async {
        guard delivery.lanes.count > 1, let now = delivery.clock.now, let member = aside.first?.user.held.member
        else { return }
        let boot = BootTime.milliseconds()
        var probes: [LaneIdentity: Int] = [:]
        let postponements = aside.map { user, lane in
            var latest: Instant?
            // A stopped lane is probed once a minute, so a few users must be due at that time.
            if case .stopped(_, _, let probe)? = delivery.lanes.sender(lane)?.status,
                probes[lane, default: 0] < Self.probeUsers
            {
                probes[lane, default: 0] += 1
                latest = now + max(1, (probe - boot) / 1000 + 1)
            }
            return delivery.queues.backlog(of: lane) { $0.postpone(user, now: now, boot: boot, atMost: latest) }
        }
        await delivery.postpone(postponements, member: member)
    }
}

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

    func wait(for lanes: [LaneIdentity], atMost count: Int, milliseconds: Int64) async {
        await queues.wait(atMost: milliseconds) { queues in lanes.contains { (queues[$0]?.users.count ?? 0) <= count } }
    }

    func backlog<Result: Sendable>(of lane: LaneIdentity, _ body: (inout Backlog) -> Result) -> Result {
        queues.withLock { body(&$0[lane, default: Queue()].backlog) }
    }
}

/// How long a lane or the decision service has been full. Its users are postponed, or each sweep would pass over them.
struct Backlog: Sendable {
    /// Since when (CLOCK_BOOTTIME milliseconds) more arrives than is taken. nil: everything is taken.
    private(set) var fullSince: Int64?
    /// The latest instant at which postponed users are due again.
    private var postponedUntil: Instant?

    mutating func note(isFull: Bool, now: Int64) { fullSince = isFull ? fullSince ?? now : nil }

    mutating func postpone(_ user: PlannedUser, now: Instant, boot: Int64, atMost latest: Instant? = nil)
        -> Postponement
    {
        var until = Self.until(now, full: boot - (fullSince ?? boot), user.plan.userID, boot: boot)
        if let latest { until = min(until, latest) }
        postponedUntil = max(postponedUntil ?? until, until)
        return Postponement(userID: user.plan.userID, version: user.plan.row.version, until: until)
    }

    func isAnyonePostponed(at now: Instant) -> Bool { postponedUntil.map { $0 > now } ?? false }

    /// The wait is as long as it has been full (`full`, milliseconds), 1 to 450 s: few updates in a long stop, seconds
    /// in a short one. Jitter, another each time, doubles it at most, so that its end is no burst.
    static func until(_ now: Instant, full: Int64, _ user: UUID, boot: Int64) -> Instant {
        let wait = min(max(full / 1000, 1), 450)
        return now + wait + Int64((user.stableHash &+ UInt64(bitPattern: boot)) % UInt64(wait + 1))
    }
}
