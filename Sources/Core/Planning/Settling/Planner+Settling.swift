package import APNs
import Policy
package import TimeZones

/// What an intent announces before a plan's pushes are written, and what is recorded afterwards.
extension Planner {
    /// What an intent announces of a user: what is recorded if the outcome of each push stays unknown.
    package func announced(_ plan: SendPlan, attemptedAt: Instant) -> Change {
        let unknown = repeatElement(PushOutcome.unknown(reason: ""), count: plan.pushCount)
        let entered = entered(plan, unknown, attemptedAt: attemptedAt, now: attemptedAt)
        return change(plan, entered, version: nil, dueAt: attemptedAt, reason: nil, attemptedAt: attemptedAt)
    }

    /// The messages and reminders that an intent for these plans names.
    package static func messages(in plans: some Sequence<SendPlan>) -> [MessageReference] {
        plans.flatMap { plan in plan.nudges.flatMap(\.members).compactMap { plan.reference($0) } }
    }

    /// Settles a plan when each target has an outcome, in the order of the targets.
    ///
    /// - Parameters:
    ///   - attemptedAt: the intent's instant.
    ///   - now: the next evaluation is computed from here.
    package func settle(
        _ plan: SendPlan,
        outcomes: some Collection<PushOutcome>,
        attemptedAt: Instant,
        now: Instant
    ) -> Change {
        var entered = entered(plan, outcomes, attemptedAt: attemptedAt, now: now)
        var candidate = plan.candidate
        candidate.history = entered.history
        candidate.history = trimmed(candidate, now: now)
        entered.history = candidate.history
        // Apple's answers are recorded in any case. Without the zone, the user is only due again soon.
        let next = try? policy.decide(candidate, now: now)
        return change(
            plan,
            entered,
            version: plan.version,
            dueAt: dueAt(plan.userID, next, entered.retries, others: entered.dueAt, now: now),
            reason: next?.reason,
            attemptedAt: attemptedAt
        )
    }

    private func entered(
        _ plan: SendPlan,
        _ outcomes: some Collection<PushOutcome>,
        attemptedAt: Instant,
        now: Instant
    ) -> PlanOutcomes {
        var entered = PlanOutcomes(plan, attemptedAt: attemptedAt, now: now)
        var rest = outcomes[...]
        for nudge in plan.nudges {
            entered.enter(nudge, rest.prefix(nudge.targets.count))
            rest = rest.dropFirst(nudge.targets.count)
        }
        return entered
    }

    private func change(
        _ plan: SendPlan,
        _ entered: PlanOutcomes,
        version: Int64?,
        dueAt: Instant,
        reason: Reason?,
        attemptedAt: Instant
    ) -> Change {
        let ended = plan.ended + entered.ended
        var change = Change(
            userID: plan.userID,
            turn: plan.turn,
            version: version,
            dueAt: dueAt,
            // When the decision was made: slots that have ended since then must still be recorded as skipped.
            evaluatedAt: attemptedAt,
            since: plan.candidate.since,
            state: UserState(fingerprint: plan.fingerprint, template: entered.template, history: entered.history),
            retry: Retry.json(entered.retries),
            reason: reason,
            records: plan.records + entered.records,
            ended: ended.compactMap(\.rowID),
            continued: ended.compactMap { plan.continuations[$0] }
        )
        change.staleTokens = entered.staleTokens
        change.environments = entered.environments
        return change
    }
}
