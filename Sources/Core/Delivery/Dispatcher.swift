import Base
package import APNs
import Policy
import Postgres
import TimeZones

package import struct FoundationEssentials.UUID

/// Sends what waits for one lane, slice by slice, each with an intent. A lane has one, until nobody waits.
struct Dispatcher: Sendable {
    let lane: LaneIdentity
    let router: LaneRouter

    private var delivery: DeliveryContext { router.delivery }
    private var settler: Settler { router.settler }

    /// How long to wait for more free streams before a smaller slice is sent.
    private static let gatherMilliseconds: Int64 = 50
    /// How long to wait for room in flight before the loop checks again.
    private static let pauseMilliseconds: Int64 = 250

    func run() async {
        var lastFree = BootTime.milliseconds()
        while let wanted = delivery.queues.pushCount(lane, upTo: delivery.terms.settings.maxInFlight) {
            guard isWorking, let sender = delivery.lanes.sender(lane),
                let free = await freeSlots(sender, wanted)
            else {
                await shed()
                continue
            }
            delivery.onEvent(.progress)
            guard free > 0 else {
                // A server that grants no stream for this long counts as unreachable.
                if BootTime.milliseconds() - lastFree < 2 * delivery.terms.settings.responseMilliseconds { continue }
                await shed()
                continue
            }
            lastFree = BootTime.milliseconds()
            await sendSlice(sender, upTo: free)
        }
    }

    /// How many pushes may be committed now. 0: try again. nil: the lane takes none for a while.
    private func freeSlots(_ sender: Sender, _ wanted: Int) async -> Int? {
        let room = delivery.room.free(lane, budget)
        guard room > 0 else {
            await delivery.room.wait(lane, budget, atMost: Self.pauseMilliseconds)
            return 0
        }
        let goal = max(1, min(wanted, room, delivery.terms.settings.maxInFlight / 4))
        let deadline = BootTime.milliseconds() + Self.gatherMilliseconds
        let free = await sender.waitForFreeSlots(atLeast: goal, until: deadline)
        if free > 0 { return min(free, delivery.room.free(lane, budget)) }
        return sender.isBlocked ? nil : 0
    }

    private var budget: FlightBudget {
        FlightBudget(total: delivery.terms.settings.maxInFlight, lanes: delivery.lanes.count)
    }

    /// False if the daemon stops, is outdated, leaves, or is no member. Then waiting users are let go.
    private var isWorking: Bool { !delivery.isHalted && delivery.ownership.share != nil }

    /// Lets waiting users go. With several lanes, users of a lane that takes nothing are postponed first.
    private func shed() async {
        let users = delivery.queues.take(upTo: .max, from: lane)
        guard isWorking else { return }
        delivery.queues.backlog(of: lane) { $0.note(isFull: true, now: BootTime.milliseconds()) }
        await router.stepAside(users.map { ($0, lane) })
    }

    // MARK: One slice

    private func sendSlice(_ sender: Sender, upTo limit: Int) async {
        let terms = delivery.terms
        guard let now = delivery.clock.now else { return }
        // Reserved before users are taken, since lanes share the room.
        let reserved = delivery.room.reserve(upTo: limit, for: lane, budget)
        let taken = delivery.queues.take(upTo: reserved, from: lane)
        // Checked as it is sent: nudges whose answer has ended, or whose kind is paused, are evaluated again.
        var slice: [PlannedUser] = []
        var used = 0
        for user in taken where delivery.ownership.isCurrent(user.held.member) {
            let plan = user.plan.sendable(at: now, paused: terms.planner.paused)
            if plan.nudges.isEmpty { continue }
            used += plan.pushCount
            let places = FlightPlaces(plan.pushCount, lane, delivery.room)
            slice.append(PlannedUser(plan: plan, held: user.held, places: places))
        }
        delivery.room.giveBack(reserved - used, lane)
        // An intent belongs to one sweep. Nearly always that is the whole slice.
        while let first = slice.first {
            let own = slice.prefix { $0.held.run === first.held.run }
            slice.removeFirst(own.count)
            await launch(Array(own), sender, attemptedAt: now)
        }
    }

    /// Commits an intent for these users and hands their pushes to the sender.
    private func launch(_ users: [PlannedUser], _ sender: Sender, attemptedAt: Instant) async {
        guard let held = users.first?.held else { return }
        guard await hasLease(held.member) else { return }
        await delivery.hooks.reach(.beforeIntent)
        let (planner, plans) = (delivery.terms.planner, users.map(\.plan))
        let fraction = delivery.nextFraction()
        let flight = Flight(users, attemptedAt: attemptedAt, fraction: fraction, delivery.hand.intents)
        let intent = Intent(
            id: flight.intent,
            member: held.member,
            sweepID: held.run.id,
            attemptedAt: attemptedAt,
            fraction: fraction,
            changes: plans.map { planner.announced($0, attemptedAt: attemptedAt) },
            messages: Planner.messages(in: plans)
        )
        do throws(PostgresError) {
            let committed = try await delivery.store.commit(intent)
            await delivery.hooks.reach(.afterIntent)
            var changed = committed.touched.union(delivery.hand.changed(among: plans.lazy.map(\.userID)))
            for plan in plans where plan.sends(committed.paused) { changed.insert(plan.userID) }
            let left = changed.union(committed.cancelled.lazy.map(\.userID))
            held.run.count { $0.changed += left.count }
            let pushes = PushBatch(
                plans,
                topic: lane.topic,
                // Read after the commit, so that a renewal during the commit counts.
                lastWrite: lastWrite(held.member),
                boot: BootTime.milliseconds(),
                // In milliseconds: a second too many could be a second of quiet hours.
                now: delivery.clock.milliseconds ?? attemptedAt.seconds * 1000,
                changed: changed,
                cancelled: committed.cancelled
            )
            // The sender keeps the first closure until its window of refused tokens ends: only plans, no user in hand.
            sender.send(pushes) { [delivery, lane] tokens in
                delivery.quarantine(tokens, of: plans, on: lane, attemptedAt: attemptedAt)
            } onResults: { [delivery, settler] results in
                delivery.hooks.pass(.answered)
                settler.add(flight.take(results))
            }
            await delivery.hooks.reach(.handedOver)
        } catch { await refused(users, flight, sender, error) }
    }

    private func refused(_ users: [PlannedUser], _ flight: Flight, _ sender: Sender, _ error: PostgresError) async {
        guard let held = users.first?.held else { return }
        if error.isFenced { return delivery.ownership.noteEnd(of: held.member) }
        guard error.refusesIntent, error.isHeldRow || error.isAboutContent && !error.isTimeOut else {
            held.run.failed()
            delivery.onEvent(.statementFailed(error))
            // It may be committed, or the server is in trouble. Nothing was written, so the intent is withdrawn.
            return settler.withdraw(flight, because: "intent_failed")
        }
        delivery.onEvent(.settlementFailed(error: error.description))
        guard users.count > 1 else {
            guard !error.isHeldRow else { return }
            let refusals = users.map { Refusal($0.plan.userID, error) }
            return await delivery.setAside(refusals, member: held.member, now: flight.attemptedAt)
        }
        let middle = users.count / 2
        await launch(Array(users[..<middle]), sender, attemptedAt: flight.attemptedAt)
        await launch(Array(users[middle...]), sender, attemptedAt: flight.attemptedAt)
    }

    /// Whether the lease lasts long enough for a write. If not, a renewal is tried.
    private func hasLease(_ member: UUID) async -> Bool {
        if lastWrite(member) > BootTime.milliseconds() { return true }
        guard delivery.ownership.isCurrent(member) else { return false }
        try? await delivery.ownership.renewNow()
        return lastWrite(member) > BootTime.milliseconds()
    }

    private func lastWrite(_ member: UUID) -> Int64 {
        delivery.ownership.lastWrite(member, response: delivery.terms.settings.responseMilliseconds)
    }
}

extension PushBatch {
    /// The pushes of these plans: a push's slot is its place among all targets. What has changed is not sent. No push
    /// is written from `lastWrite` on (CLOCK_BOOTTIME milliseconds, as `boot`). `now`: milliseconds since 1970.
    package init(
        _ plans: [SendPlan],
        topic: String,
        lastWrite: Int64,
        boot: Int64,
        now: Int64,
        changed: Set<UUID> = [],
        cancelled: Set<MessageReference> = []
    ) {
        self.init(topic: topic, room: plans.reduce(0) { $0 + $1.pushCount })
        for plan in plans {
            let isUserChanged = !changed.isEmpty && changed.contains(plan.userID)
            for nudge in plan.nudges {
                let isChanged =
                    isUserChanged
                    || !cancelled.isEmpty
                        && nudge.members.compactMap(plan.reference).contains(where: cancelled.contains)
                guard !isChanged else {
                    for _ in nudge.targets { skip(.unsent(reason: "changed")) }
                    continue
                }
                let end = nudge.validUntil.map { boot + max(0, $0.seconds * 1000 - now) } ?? .max
                let kind = nudge.identity.kind.rawValue
                let collapseID = PushIdentity.collapseID(user: plan.userID, kind: kind, key: nudge.collapseKey)
                for target in nudge.targets {
                    append(
                        token: target.device.token,
                        type: nudge.type,
                        expiration: nudge.expiresAt.seconds,
                        apnsID: target.apnsID,
                        collapseID: collapseID,
                        writeBy: min(lastWrite, end),
                        isTrial: target.trial == .running
                    ) { nudge.appendPayload(to: &$0) }
                }
            }
        }
    }
}
