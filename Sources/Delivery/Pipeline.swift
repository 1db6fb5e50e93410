import APNs
package import Planning
import Policy
package import Postgres
package import Store
import TimeZones

package import struct FoundationEssentials.UUID

/// The way from who is due to what is recorded: Claimer → planner → DecisionStage → a Dispatcher for each lane → Settler. What is in hand outlives the sweep
/// that claimed it: one slow answer does not hold the next tick.
package final class Pipeline: Sendable {
    private let delivery: DeliveryContext
    private let claimer: Claimer
    private let decisions: DecisionStage
    private let finished = SweepTotals()

    /// - Parameter daemonID: what this daemon is called in the database.
    package init(
        store: Store,
        lanes: Lanes,
        clock: PolicyClock,
        planner: Planner,
        settings: SweepSettings,
        decider: Decider? = nil,
        hooks: SweepHooks = SweepHooks(),
        daemonID: UUID,
        onEvent: @escaping @Sendable (SweepEvent) -> Void
    ) {
        let hand = Hand()
        let ownership = Ownership(
            store: store,
            hand: hand,
            leaseMilliseconds: settings.leaseMilliseconds,
            hooks: hooks,
            daemonID: daemonID,
            onEvent: onEvent
        )
        delivery = DeliveryContext(
            store: store,
            lanes: lanes,
            clock: clock,
            ownership: ownership,
            hand: hand,
            terms: DeliveryContext.Terms(planner: planner, settings: settings, decider: decider),
            hooks: hooks,
            onEvent: onEvent
        )
        let settler = Settler(delivery)
        decisions = DecisionStage(delivery, settler: settler)
        claimer = Claimer(delivery, settler: settler, decisions: decisions)
    }

    /// From the next sweep on.
    package func reconfigure(planner: Planner, settings: SweepSettings, decider: Decider?) async {
        delivery.change { terms in
            let paused = terms.planner.paused
            terms = DeliveryContext.Terms(planner: planner, settings: settings, decider: decider)
            terms.planner.paused = paused
        }
        await claimer.reword()
        await delivery.ownership.setLease(milliseconds: settings.leaseMilliseconds)
        // Another service may say otherwise.
        delivery.answers.withLock { $0.forgetAll() }
        await decisions.askNext()
    }

    // MARK: A sweep

    /// Claims until nobody is due, or no lane takes anything. Its report comes as `SweepEvent.finished` once its last user is settled.
    ///
    /// It ends at once where this version is outdated (`isOutdated`).
    package func sweep() async throws(PostgresError) {
        let (lanes, onEvent) = (delivery.lanes, delivery.onEvent)
        let run = SweepRun(totals: finished) { id, report, isWhole in
            var report = report
            // Now that its pushes are settled: a lane that was connecting before has its answer.
            report.isGood = isWhole && lanes.doesAnyServe
            onEvent(.finished(id: id, report))
        }
        run.begin()
        defer { run.end() }
        try await claimer.sweep(run)
    }

    // MARK: The end

    /// Claims nothing more; what is in flight is settled.
    package func stop() async {
        delivery.stop()
        await decisions.stop()
    }

    /// Gives up outcomes that the database does not take.
    package func abandon() { delivery.hand.abandon() }

    /// Returns once nobody is in hand.
    package func quiesce() async { await delivery.hand.wait() }

    /// Leaves those who share the work: its ranges are free at once. Only once nobody is in hand.
    package func leave() async { await delivery.ownership.leave() }

    /// Checks the refused devices of all lanes by what has come so far. False where none waits for it.
    package func concludeWindows() async -> Bool {
        let hadSome = delivery.lanes.all.map { $0.sender.concludeWindow() }.contains(true)
        await quiesce()
        return hadSome
    }

    // MARK: How it stands

    package var isStopping: Bool { delivery.isStopping }

    /// A newer nudged has migrated the schema, and this one can't work beside it.
    package var isOutdated: Bool { delivery.isOutdated }

    /// Pushes whose intents are open.
    package var openPushes: Int { delivery.room.openPushes }

    /// Whether users were postponed whose lane is not stopped: they are due again, though nobody is now.
    package var isAnyoneAside: Bool {
        get async {
            guard let now = delivery.clock.now else { return false }
            if await decisions.isAnyonePostponed(at: now) { return true }
            return delivery.lanes.all.contains { lane, sender in
                !sender.isStopped && delivery.queues.isAnyonePostponed(lane, at: now)
            }
        }
    }

    /// All sweeps' counts so far: no count is ever less than before.
    package var totals: SweepReport { finished.value }

    package var clock: PolicyClock { delivery.clock }
    package var planner: Planner { delivery.terms.planner }
    package var decider: Decider? { delivery.terms.decider }

    /// What this daemon owns; nil: it is no member now.
    package var share: Ownership.Share? { delivery.ownership.membership }
}
