import APNs
import Base
import TimeZones

/// Puts planned users into the queues of their lanes. With several lanes, users of a full lane are postponed, so that
/// claims need not pass over them to find the users of other lanes.
struct LaneRouter: Sendable {
    let delivery: DeliveryContext
    let settler: Settler

    /// Users claimed to probe a stopped lane. The probe itself is one push.
    static let probeUsers = 16

    typealias Aside = (user: PlannedUser, lane: LaneIdentity)

    /// Assigns each user to a lane that takes some of their devices now. Their other devices follow under the same
    /// answer. Also returns the users whose lanes are all full.
    func share(_ users: [PlannedUser]) -> (slices: [(lane: LaneIdentity, users: [PlannedUser])], aside: [Aside]) {
        // A lane with this many users is full. With a quarter of them, it gets more (`Claimer`).
        let mostUsers = 2 * delivery.terms.settings.batch
        // The lanes that take users now, and how many each takes.
        var room = delivery.lanes.all.compactMap { lane, sender -> (lane: LaneIdentity, users: Int)? in
            if sender.isBlocked || delivery.queues.count(lane) >= mostUsers { return nil }
            return (lane, sender.isStopped ? Self.probeUsers : .max)
        }
        var slices: [(lane: LaneIdentity, users: [PlannedUser])] = []
        var aside: [Aside] = []
        // A list search: there are few lanes, and hashing two strings for each user takes longer.
        func place(of lane: LaneIdentity) -> Int? { room.firstIndex { $0.lane == lane } }
        for user in users {
            guard let lane = user.plan.lane(preferring: { place(of: $0) != nil }) else { continue }
            guard let place = place(of: lane) else {
                aside.append((user, lane))
                continue
            }
            let part = PlannedUser(plan: user.plan.part(for: lane), held: user.held)
            if let own = slices.firstIndex(where: { $0.lane == lane }) {
                slices[own].users.append(part)
            } else {
                slices.append((lane, [part]))
            }
            guard room[place].users != .max else { continue }
            room[place].users -= 1
            if room[place].users == 0 { room.remove(at: place) }
        }
        let now = BootTime.milliseconds()
        let fullLanes = Set(aside.map(\.lane))
        for lane in fullLanes { delivery.queues.backlog(of: lane) { $0.note(isFull: true, now: now) } }
        for (lane, users) in room where users == .max && !fullLanes.contains(lane) {
            delivery.queues.backlog(of: lane) { $0.note(isFull: false, now: now) }
        }
        return (slices, aside)
    }

    /// Puts users into a lane's queue. Starts the dispatcher if none runs.
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
