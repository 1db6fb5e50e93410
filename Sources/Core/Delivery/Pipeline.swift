import APNs
import Policy
package import Postgres
import TimeZones

/// The stages from due users to the record: Claimer → Planner → DecisionStage → one Dispatcher per lane → Settler.
/// Users in hand outlive the sweep that claimed them, so one slow answer does not delay the next sweep.
package final class Pipeline: Sendable {
    private let delivery: DeliveryContext
    private let claimer: Claimer
    private let settler: Settler
    private let decisions: DecisionStage
    private let previews: PreviewStage
    private let finished = Monitor(SweepReport())

    package init(_ delivery: DeliveryContext) {
        self.delivery = delivery
        settler = Settler(delivery)
        let router = LaneRouter(delivery: delivery, settler: settler)
        decisions = DecisionStage(router)
        claimer = Claimer(router, decisions)
        previews = PreviewStage(delivery)
    }

    /// Takes effect with the next sweep.
    package func reconfigure(planner: Planner, settings: SweepSettings, decider: Decider?) async {
        delivery.change { terms in
            // What was read from the database stays.
            let (paused, texts) = (terms.planner.paused, terms.planner.checkInTexts)
            terms = DeliveryContext.Terms(planner: planner, settings: settings, decider: decider)
            terms.planner.paused = paused
            terms.planner.checkInTexts = texts
        }
        await delivery.ownership.setLease(milliseconds: settings.leaseMilliseconds)
        // Another service may decide otherwise.
        delivery.answers.withLock { $0.forgetAll() }
        await decisions.askNext()
    }

    /// Claims until nobody is due, no lane takes more, or it `isOutdated`. `SweepEvent.finished` follows its last user.
    package func sweep() async throws(PostgresError) {
        let (lanes, settler, onEvent) = (delivery.lanes, settler, delivery.onEvent)
        let run = SweepRun(totals: finished) { id, report, isWhole in
            var report = report
            report.isAccepted = isWhole && !settler.isFailing
            // Checked after the last settlement: a lane that was connecting before has an answer by now.
            report.isGood = report.isAccepted && lanes.doesAnyServe
            onEvent(.finished(id: id, report))
        }
        run.begin()
        defer { run.end() }
        try await claimer.sweep(run)
    }

    /// Answers `nudged_api.preview`, beside the sweeps, until the task is cancelled or the daemon stops.
    package func answerPreviews() async { await previews.run() }

    /// Claims nothing more. Pushes in flight are still settled.
    package func stop() async {
        delivery.stop()
        await decisions.stop()
    }

    /// Gives up outcomes that the database does not accept.
    package func abandon() { delivery.hand.abandon() }

    package func quiesce() async { await delivery.hand.wait() }

    /// Ends this daemon's membership, so that its ranges are free at once. Call it only when nobody is in hand.
    package func leave() async { await delivery.ownership.leave() }

    /// Closes the windows of refused devices on all lanes now. False if no lane had refused devices waiting.
    package func concludeWindows() async -> Bool {
        let hadSome = delivery.lanes.all.map { $0.sender.concludeWindow() }.contains(true)
        await quiesce()
        return hadSome
    }

    package var isStopping: Bool { delivery.isStopping }

    package var isOutdated: Bool { delivery.isOutdated }

    package var openPushes: Int { delivery.room.openPushes }

    /// Whether users are postponed whose lane is not stopped. They are due again later, even if nobody is due now.
    package var isAnyoneAside: Bool {
        get async {
            guard let now = delivery.clock.now else { return false }
            if await decisions.isAnyonePostponed(at: now) { return true }
            return delivery.lanes.all.contains { lane, sender in
                !sender.isStopped && delivery.queues.backlog(of: lane) { $0.isAnyonePostponed(at: now) }
            }
        }
    }

    /// The counts of all sweeps so far. No count ever falls.
    package var totals: SweepReport { finished.withLock { $0 } }

    package var clock: PolicyClock { delivery.clock }
    package var planner: Planner { delivery.terms.planner }
    package var decider: Decider? { delivery.terms.decider }

    /// What this daemon owns. nil: it is no member now.
    package var share: Membership? { delivery.ownership.membership }
}
