package import APNs
import Policy
package import TimeZones

/// What an intent announces before a plan's pushes are written, and what is recorded afterwards.
extension Planner {
    /// The intent's entry for a user, which recovery uses if the daemon dies.
    package func entry(_ plan: SendPlan, attemptedAt: Instant) -> Intent.Entry {
        var devices: [Intent.Target] = []
        var retries = plan.others
        for (place, nudge) in plan.nudges.enumerated() {
            let left = leftAtIntent(nudge)
            // SQL can't compute a reminder's next occurrence, so a reminder ends in the user's next plan.
            if !left.isEmpty || nudge.identity.kind == .reminder {
                retries.append(
                    nudge.retry(
                        version: plan.version,
                        left: left,
                        countedAt: nudge.countedAt ?? attemptedAt
                    )
                )
            }
            for target in nudge.targets {
                for member in nudge.members {
                    devices.append(
                        Intent.Target(
                            kind: member.kind.rawValue,
                            key: member.key,
                            slot: member.slot,
                            deviceHash: target.hash,
                            apnsID: target.apnsID,
                            nudge: Int16(clamping: place),
                            isCounted: nudge.countedAt != nil,
                            ends: left.isEmpty && nudge.identity.kind == .message,
                            template: nudge.template
                        )
                    )
                }
            }
        }
        return Intent.Entry(
            userID: plan.userID,
            version: plan.version,
            retry: Retry.json(retries),
            devices: devices
        )
    }

    /// What is left after a crash: the devices outside the intent. For messages and reminders also those in it, once.
    private func leftAtIntent(_ nudge: PlannedNudge) -> [Retry.Left] {
        guard RetryRules.of(nudge.identity.kind).isRepeatedOnce else { return nudge.waiting }
        return nudge.waiting
            + nudge.targets.filter { !$0.isRepeat }.map {
                Retry.Left(deviceHash: $0.hash, notBefore: Instant(seconds: 0), isRepeat: true)
            }
    }

    /// Whether recovery writes this record after a crash.
    ///
    /// Reminders are planned again, since SQL can't compute the next occurrence. A declined check-in is planned again
    /// too, since only the settlement closes its slot. Both would be recorded twice.
    package static func survivesCrash(_ record: DeliveryRecord) -> Bool {
        record.kind != NudgeKind.reminder.rawValue
            && !(record.kind == NudgeKind.checkIn.rawValue && record.reason == SendPlan.declinedReason)
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
    ) -> UserSettlement {
        var entered = PlanOutcomes(plan, attemptedAt: attemptedAt, now: now)
        var rest = outcomes[...]
        for nudge in plan.nudges {
            entered.enter(nudge, rest.prefix(nudge.targets.count))
            rest = rest.dropFirst(nudge.targets.count)
        }
        var candidate = plan.candidate
        candidate.history = entered.history
        candidate.history = trimmed(candidate, now: now)
        // Apple's answers are recorded in any case. Without the zone, the user is only due again soon.
        let next = try? policy.decide(candidate, now: now)
        let update = PersonUpdate(
            userID: plan.userID,
            version: plan.version,
            dueAt: dueAt(plan.userID, next, entered.retries, others: entered.dueAt, now: now),
            // When the decision was made: slots that have ended since then must still be recorded as skipped.
            evaluatedAt: attemptedAt,
            since: candidate.since,
            fingerprint: plan.fingerprint,
            history: candidate.history,
            retry: Retry.json(entered.retries),
            template: entered.template,
            reason: next?.reason
        )
        let ended = plan.ended + entered.ended
        return UserSettlement(
            update: update,
            records: plan.records + entered.records,
            ended: ended,
            continued: ended.compactMap { plan.continuations[$0] },
            staleTokens: entered.staleTokens,
            environments: entered.environments
        )
    }
}
