import APNs
import Policy
import TimeZones

/// Collects the outcomes of a plan, nudge by nudge: the new history, what is left, and when to evaluate again.
struct PlanOutcomes {
    private let plan: SendPlan
    private let attemptedAt: Instant
    private let now: Instant

    var history: History
    /// The template of the last check-in that counts.
    private(set) var template: Int32?
    private(set) var retries: [Retry]
    private(set) var dueAt: Instant?
    private(set) var records: [DeliveryRecord] = []
    private(set) var ended: [NudgeIdentity] = []
    private(set) var staleTokens: [StaleToken] = []
    private(set) var environments: [EnvironmentNote] = []

    init(_ plan: SendPlan, attemptedAt: Instant, now: Instant) {
        self.plan = plan
        self.attemptedAt = attemptedAt
        self.now = now
        history = plan.candidate.history
        template = plan.template
        retries = plan.others
        dueAt = plan.othersDue
        for retry in plan.others where retry.identity.kind != .checkIn { evaluate(at: retry.dueAt) }
        if plan.isPartial { evaluate(at: now) }
    }

    mutating func enter(_ nudge: PlannedNudge, _ outcomes: some Collection<PushOutcome>) {
        var entered = NudgeOutcomes(nudge: nudge, userID: plan.userID, attemptedAt: attemptedAt, now: now)
        for (target, outcome) in zip(nudge.targets, outcomes) { entered.enter(outcome, for: target) }
        records += entered.records
        staleTokens += entered.staleTokens
        environments += entered.environments

        let counts = nudge.countedAt != nil || entered.wasAnswered
        let left = nudge.waiting + entered.left
        let entryAt = nudge.countedAt ?? attemptedAt
        if counts {
            history = history.adding(nudge.identity, at: entryAt)
            if nudge.identity.slot != nil, nudge.countedAt == nil { template = nudge.template }
        } else {
            // Every device was rejected. Close the slot, or it would be due again at once.
            if left.isEmpty, let slot = nudge.identity.slot { history = history.closing(slot) }
            // A cap has room that was counted as used.
            if plan.othersDue != nil { evaluate(at: now) }
        }
        guard !left.isEmpty else {
            if nudge.identity.kind != .checkIn { ended += nudge.members }
            return
        }
        // Nothing was written, so the nudge is as new.
        let isUntouched =
            !counts && nudge.isFirst && entered.left.count == nudge.targets.count && !entered.wasAttempted
        if !isUntouched {
            retries.append(
                nudge.retry(
                    version: plan.version,
                    left: left,
                    wasDelayed: entered.wasDelayed,
                    countedAt: counts ? entryAt : nil
                )
            )
        }
        guard nudge.identity.kind != .checkIn else { return }
        evaluate(at: isUntouched ? now + Retry.unsentSeconds : left.map(\.notBefore).min() ?? now)
    }

    private mutating func evaluate(at instant: Instant) { dueAt = min(dueAt ?? instant, instant) }
}
