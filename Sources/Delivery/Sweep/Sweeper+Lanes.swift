import Planning
import APNs
import Policy
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

extension Sweeper {
    /// A user who is to step aside, and for whose lane.
    typealias Aside = (turn: PlannedTurn, lane: LaneIdentity)

    /// Hands each turn to its lane. Returns those whose lane takes nothing more for now.
    func share(_ turns: [PlannedTurn], _ batch: Batch, _ run: SweepRun) -> [Aside] {
        var room = roomByLane()
        var portions: [(lane: LaneIdentity, turns: [PlannedTurn])] = []
        var aside: [Aside] = []
        // Lanes are few and looked for in a list: hashing two names for each user takes longer.
        func place(of lane: LaneIdentity) -> Int? { room.firstIndex { $0.lane == lane } }
        for turn in turns {
            // Devices on several lanes: one lane's go first, the others follow under the same answer.
            guard let lane = turn.lane(preferring: { place(of: $0) != nil }) else { continue }
            guard let place = place(of: lane) else {
                aside.append((turn, lane))
                continue
            }
            let part = turn.part(for: lane)
            if let own = portions.firstIndex(where: { $0.lane == lane }) {
                portions[own].turns.append(part)
            } else {
                portions.append((lane, [part]))
            }
            guard room[place].users != .max else { continue }
            room[place].users -= 1
            if room[place].users == 0 { room.remove(at: place) }
        }
        let takes = room.filter { $0.users == .max }.map(\.lane)
        let now = BootTime.milliseconds()
        let crowded = Set(aside.map(\.lane))
        for lane in crowded where feeds[lane]?.crowdedSince == nil {
            feeds[lane, default: LaneFeed()].crowdedSince = now
        }
        for (lane, turns) in portions {
            if takes.contains(lane), !crowded.contains(lane) { feeds[lane]?.crowdedSince = nil }
            append(enlist(turns, batch, run, lane), batch, run, to: lane)
        }
        return aside
    }

    /// The lanes that may be given users now, and how many.
    private func roomByLane() -> [(lane: LaneIdentity, users: Int)] {
        lanes.all.compactMap { lane, sender in
            if sender.isBlocked || (feeds[lane]?.backlog ?? 0) >= highWater { return nil }
            // A stopped lane is probed with one push; a few users are taken to find one.
            return (lane, sender.isStopped ? Self.probeBatch : .max)
        }
    }

    private func startFeeding(_ lane: LaneIdentity) {
        guard feeds[lane]?.isFeeding == false else { return }
        feeds[lane]?.isFeeding = true
        Task { await feed(lane) }
    }

    /// A user whose answers are in.
    func join(_ turn: PlannedTurn, _ batch: Batch, _ run: SweepRun, to lane: LaneIdentity) {
        if feeds[lane]?.join(turn, batch, run) != true { append([turn], batch, run, to: lane) }
    }

    private func append(_ turns: [PlannedTurn], _ batch: Batch, _ run: SweepRun, to lane: LaneIdentity) {
        guard !turns.isEmpty else { return }
        livingLeases[batch.leaseID, default: 0] += 1
        run.openPortions += 1
        feeds[lane, default: LaneFeed()].portions.append(
            LaneFeed.Portion(batch: batch, run: run, turns: turns[...], leaseEnd: batch.leaseEnd)
        )
        startFeeding(lane)
    }

    /// Whether users stepped aside whose lane is not stopped: they are due again, though nobody is now.
    package var isAnyoneAside: Bool {
        guard let now = clock.now else { return false }
        if let until = asking.asideUntil, until > now { return true }
        return lanes.all.contains { lane, sender in
            !sender.isStopped && (feeds[lane]?.asideUntil ?? now) > now
        }
    }

    // MARK: Users go back

    /// Users whose lane takes nothing. With one lane they stay due as they are, since nothing is claimed then; with several they make way.
    func stepAside(_ aside: [Aside], leaseID: UUID) async {
        guard !aside.isEmpty else { return }
        guard lanes.count > 1, let now = clock.now else {
            return await giveBack(aside.map(\.turn.userID), leaseID: leaseID)
        }
        let boot = BootTime.milliseconds()
        var probes: [LaneIdentity: Int] = [:]
        let postponements = aside.map { turn, lane in
            var until = LanePatience.until(
                now,
                crowded: boot - (feeds[lane]?.crowdedSince ?? boot),
                seed: turn.userID.stableHash &+ UInt64(bitPattern: boot)
            )
            // A stopped lane is probed once a minute: somebody must be due then.
            if case .stopped(_, _, let probe)? = lanes.sender(lane)?.status, probes[lane, default: 0] < Self.probeBatch
            {
                probes[lane, default: 0] += 1
                until = min(until, now + max(1, (probe - boot) / 1000 + 1))
            }
            let last = feeds[lane]?.asideUntil ?? until
            feeds[lane]?.asideUntil = max(last, until)
            return Postponement(userID: turn.userID, version: turn.version, until: until)
        }
        // Where the database does not take it, their lease ends by itself.
        try? await store.postpone(postponements, leaseID: leaseID)
    }

    /// The lane takes no more: all that it was given goes back.
    func shed(_ lane: LaneIdentity) async {
        while feeds[lane]?.portions.isEmpty == false {
            await giveBackFirst(lane, isOurStop: isHalted)
            endPortion(lane)
        }
    }

    /// What is left of a lane's first portion goes back.
    func giveBackFirst(_ lane: LaneIdentity, isOurStop: Bool) async {
        guard let portion = feeds[lane]?.portions.first else { return }
        feeds[lane]?.portions[0].turns = []
        if isOurStop { return await giveBack(portion.turns.map(\.userID), leaseID: portion.batch.leaseID) }
        if feeds[lane]?.crowdedSince == nil { feeds[lane]?.crowdedSince = BootTime.milliseconds() }
        await stepAside(portion.turns.map { ($0, lane) }, leaseID: portion.batch.leaseID)
    }

    // MARK: Leases

    /// Holds the users of a lane's first portion, where half their lease is over. False where they are no longer ours.
    func renewFirst(_ lane: LaneIdentity) async -> Bool { await renew(lane, place: 0) }

    /// The same for those that wait behind it.
    func renewWaiting(_ lane: LaneIdentity) async {
        // Only this lane's feed removes portions, so a place stays what it is.
        for place in 1..<max(1, feeds[lane]?.portions.count ?? 0) { _ = await renew(lane, place: place) }
    }

    private func renew(_ lane: LaneIdentity, place: Int) async -> Bool {
        guard let leaseID = feeds[lane]?.portions[place].batch.leaseID else { return false }
        let asked = BootTime.milliseconds()
        let lease = settings.leaseMilliseconds
        guard let turns = feeds[lane]?.renewing(place, asked: asked, half: lease / 2) else { return true }
        let kept = try? await store.renew(turns.map(\.userID), leaseID: leaseID, leaseMilliseconds: lease)
        feeds[lane]?.renewed(place, turns, kept: kept, leaseEnd: asked + lease)
        return kept != nil
    }
}
