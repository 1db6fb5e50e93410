import APNs
import Postgres
import Synchronization
import TimeZones

package import struct FoundationEssentials.UUID

/// What the stages share: database, senders, clock, what is in hand and in flight, and the current settings.
package final class DeliveryContext: Sendable {
    /// From the configuration, the pauses and the templates. A reload replaces all of it at once.
    struct Terms: Sendable {
        var planner: Planner
        var settings: SweepSettings
        var decider: Decider?
    }

    let store: Store
    let lanes: Lanes
    let clock: PolicyClock
    let ownership: Ownership
    let hand = Hand()
    let hooks: SweepHooks
    let onEvent: EventSink
    let queues = LaneQueues()
    let room = FlightRoom()
    let answers = Mutex(AnswerMemory())
    private let current: Mutex<Terms>
    private let halt = Mutex((isStopping: false, isOutdated: false))
    private let lastFraction = Mutex<Int32>(0)

    package init(
        store: Store,
        lanes: Lanes,
        clock: PolicyClock,
        planner: Planner,
        settings: SweepSettings,
        decider: Decider?,
        hooks: SweepHooks,
        daemonID: UUID,
        onEvent: @escaping EventSink
    ) {
        (self.store, self.lanes, self.clock) = (store, lanes, clock)
        (self.hooks, self.onEvent) = (hooks, onEvent)
        current = Mutex(Terms(planner: planner, settings: settings, decider: decider))
        let lease = settings.leaseMilliseconds
        ownership = Ownership(store, hand, hooks, lease: lease, daemon: daemonID, onEvent: onEvent)
    }

    var terms: Terms { current.withLock { $0 } }

    func change(_ body: (inout Terms) -> Void) { current.withLock { body(&$0) } }

    var isHalted: Bool { halt.withLock { $0.isStopping || $0.isOutdated } }

    var isStopping: Bool { halt.withLock(\.isStopping) }

    /// This version can't work with the schema: a newer nudged migrated it, or a view reads another table than before.
    var isOutdated: Bool { halt.withLock(\.isOutdated) }

    func stop() { halt.withLock { $0.isStopping = true } }

    func note(isOutdated: Bool) { halt.withLock { $0.isOutdated = isOutdated } }

    func nextFraction() -> Int32 {
        lastFraction.withLock { last in
            last = (last + 1) % 1_000_000
            return last
        }
    }

    /// Sets when users are due again. Users who changed meanwhile stay due. If the database refuses, all stay due.
    func postpone(_ postponements: [Postponement], member: UUID) async {
        guard !postponements.isEmpty else { return }
        do throws(PostgresError) {
            try await store.postpone(postponements, member: member)
        } catch { if error.isFenced { ownership.noteEnd(of: member) } }
    }

    /// Sets aside refused users: due again in a day, or when their data changes; with content of a newer version, in
    /// one to two minutes. If the server may be the cause, they are skipped for seconds, then for minutes.
    func setAside(_ refusals: [Refusal], member: UUID, now: Instant) async {
        let refused = refusals.filter { !$0.isHeld }
        guard !refused.isEmpty else { return }
        await hooks.reach(.beforeSetAside)
        onEvent(.noticed(refused.map(Notice.refused)))
        for refusal in refused where refusal.cause == .maybeServer { store.skip(refusal) }
        let planner = terms.planner
        let later = refused.compactMap { refusal -> Postponement? in
            let user = refusal.userID
            switch refusal.cause {
            case .heldRow, .maybeServer: return nil
            case .content: return Postponement(userID: user, version: nil, until: now + Planner.recheckSeconds)
            case .newer: return Postponement(userID: user, version: nil, until: planner.evaluateAgainAt(user, now: now))
            }
        }
        await postpone(later, member: member)
    }

    /// Writes refused devices into the quarantine: they get nothing on the lane until they register again. A token's
    /// slot is its place among the plans' targets. Retries transient errors and held rows until the stop's time is
    /// over, others twice. If nothing is written, Apple refuses the tokens again. Called on the sender's threads.
    func quarantine(_ tokens: [RefusedToken], of plans: [SendPlan], on lane: LaneIdentity, attemptedAt: Instant) {
        hand.errand { [self] in
            let now = clock.now ?? attemptedAt
            let reasons = Dictionary(tokens.map { ($0.slot, $0.reason) }, uniquingKeysWith: { first, _ in first })
            let places = plans.flatMap { plan in plan.nudges.flatMap { $0.targets }.map { (plan.userID, $0) } }
            let devices = places.enumerated().compactMap { slot, place -> EnvironmentNote? in
                guard let reason = reasons[slot] else { return nil }
                let (user, target) = place
                return EnvironmentNote(.refused, of: user, target, on: lane, at: max(now, attemptedAt + 1), why: reason)
            }
            var attempt = 0
            while !hand.isAbandoned {
                do throws(PostgresError) {
                    let known = try await store.quarantine(devices, now: now).mapValues { Quarantine(json: $0) }
                    // A device that works in the other environment is not in quarantine.
                    for device in devices where known[device.userID]?.hasMoved(device) != true {
                        onEvent(.quarantined(device))
                    }
                    return
                } catch {
                    attempt += 1
                    onEvent(.settlementFailed(error: error.description))
                    if !error.isTransient, !error.isHeldRow, attempt >= 3 { return }
                    try? await Task.sleep(for: .milliseconds(min(5000, 100 << min(attempt, 6))))
                }
            }
        }
    }
}
