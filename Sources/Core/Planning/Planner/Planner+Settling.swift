package import APNs
import Policy
package import TimeZones

/// What an intent announces before a plan's pushes are written, and what is recorded afterwards.
extension Planner {
    /// What an intent announces of a user: what is recorded if the outcome of each push stays unknown.
    package func announced(_ plan: SendPlan, attemptedAt: Instant) -> Change {
        let unknown = repeatElement(PushOutcome.unknown(reason: ""), count: plan.pushCount)
        return enter(unknown, of: plan, attemptedAt: attemptedAt, now: attemptedAt).change
    }

    /// The messages and reminders that an intent for these plans names.
    package static func messages(in plans: some Sequence<SendPlan>) -> [MessageReference] {
        var found: [MessageReference] = []
        for plan in plans {
            for nudge in plan.nudges where nudge.identity.kind != .checkIn {
                found += nudge.members.compactMap(plan.reference)
            }
        }
        return found
    }

    /// Settles a plan when each target has an outcome, in the order of the targets.
    ///
    /// - Parameters:
    ///   - attemptedAt: the intent's instant.
    ///   - now: the next evaluation is computed from here.
    package func settle(_ plan: SendPlan, outcomes: [PushOutcome], attemptedAt: Instant, now: Instant) -> Change {
        var (change, entered) = enter(outcomes, of: plan, attemptedAt: attemptedAt, now: now)
        var candidate = plan.candidate
        candidate.history = trimmed(change.state.history, of: candidate, now: now)
        candidate.ignored = Int64(change.ignored)
        change.state.history = candidate.history
        // Apple's answers are recorded in any case. Without the zone, the user is only due again soon.
        let next = try? policy.decide(candidate, now: now)
        change.version = plan.version
        change.dueAt = dueAt(plan.userID, next, entered.retries, others: entered.dueAt, now: now)
        change.reason = next?.reason
        return change
    }

    /// What is written of the outcomes. It says nothing yet about the user's version and next evaluation.
    private func enter(
        _ outcomes: some Sequence<PushOutcome>,
        of plan: SendPlan,
        attemptedAt: Instant,
        now: Instant
    ) -> (change: Change, PlanOutcomes) {
        var change = Change(
            userID: plan.userID,
            turn: plan.turn,
            version: nil,
            dueAt: attemptedAt,
            // When the decision was made: slots that have ended since then must still be recorded as skipped.
            evaluatedAt: attemptedAt,
            since: plan.candidate.since,
            state: UserState(fingerprint: plan.fingerprint, template: plan.template, history: plan.candidate.history),
            ignored: Int16(clamping: plan.candidate.ignored),
            records: plan.records
        )
        var entered = PlanOutcomes(
            retries: plan.others,
            dueAt: plan.othersDue,
            plan: plan,
            countsIgnored: policy.rules.backOffAfter != nil,
            attemptedAt: attemptedAt,
            now: now,
            localMinute: localMinute(plan, attemptedAt)
        )
        entered.enter(outcomes, into: &change)
        return (consume change, entered)
    }

    /// The user's local time of a plan's pushes (`DeliveryRecord.localMinute`). Without a zone there is none.
    private func localMinute(_ plan: SendPlan, _ attemptedAt: Instant) -> Int16? {
        guard let zone = (try? policy.zone(of: plan.candidate)) ?? nil else { return nil }
        let (date, second) = zone.localTime(at: attemptedAt)
        return Int16((date.isoWeekday - 1) * 1440 + second / 60)
    }
}

/// Collects the outcomes of a plan's pushes, nudge by nudge and device by device. The change is not in it, so that it
/// is never copied.
private struct PlanOutcomes {
    var retries: [Retry]
    var dueAt: Instant?

    let plan: SendPlan
    /// Whether a check-in counts as ignored until the app sees the user.
    let countsIgnored: Bool
    let attemptedAt: Instant
    let now: Instant
    let localMinute: Int16?

    typealias Target = PlannedNudge.Target

    /// A nudge, and what Apple said of it.
    private struct Attempt {
        let nudge: PlannedNudge
        var left: [Retry.Left] = []
        /// A device got it, or may have got it: the nudge counts.
        var wasAnswered = false
        var wasDelayed = false
        /// Apple answered, but not finally.
        var wasAttempted = false

        mutating func keep(_ target: Target, until notBefore: Instant, isRepeat: Bool? = nil) {
            let isRepeat = isRepeat ?? target.isRepeat
            left.append(Retry.Left(deviceHash: target.hash, notBefore: notBefore, isRepeat: isRepeat))
        }

        /// False: that is after the nudge's end, so there is no other attempt on this device.
        mutating func keepIfValid(_ target: Target, at notBefore: Instant) -> Bool {
            if let end = nudge.endsAt, notBefore >= end { return false }
            keep(target, until: notBefore)
            return true
        }
    }

    /// - Parameter outcomes: in the order of the targets.
    mutating func enter(_ outcomes: some Sequence<PushOutcome>, into change: inout Change) {
        for retry in plan.others where retry.identity.kind != .checkIn { evaluate(at: retry.dueAt) }
        if plan.isPartial { evaluate(at: now) }
        var ended = plan.ended
        var outcomes = outcomes.makeIterator()
        for nudge in plan.nudges {
            var attempt = Attempt(nudge: nudge)
            for target in nudge.targets {
                if let outcome = outcomes.next() { enter(outcome, for: target, &attempt, &change) }
            }
            if isOver(attempt, &change), nudge.identity.kind != .checkIn { ended += nudge.members }
        }
        change.retry = Retry.json(retries)
        change.ended = ended.compactMap(\.rowID)
        change.continued = ended.compactMap { plan.continuations[$0] }
    }

    /// Enters a nudge into the history, and what is left of it into the retries. Returns whether nothing is left.
    private mutating func isOver(_ attempt: Attempt, _ change: inout Change) -> Bool {
        let nudge = attempt.nudge
        let counts = nudge.countedAt != nil || attempt.wasAnswered
        let left = nudge.waiting + attempt.left
        let entryAt = nudge.countedAt ?? attemptedAt
        if counts {
            change.state.history.add(nudge, at: entryAt)
            if nudge.identity.slot != nil, nudge.countedAt == nil {
                change.state.template = nudge.template
                if countsIgnored { change.ignored = min(change.ignored, .max - 1) + 1 }
            }
        } else {
            // Every device was rejected. Close the slot, or it would be due again at once.
            if left.isEmpty, let slot = nudge.identity.slot { change.state.history.close(slot) }
            // A cap has room that was counted as used.
            if plan.othersDue != nil { evaluate(at: now) }
        }
        guard !left.isEmpty else { return true }
        // Nothing was written, so the nudge is as new.
        let isUntouched =
            !counts && nudge.isFirst && attempt.left.count == nudge.targets.count && !attempt.wasAttempted
        if !isUntouched {
            let countedAt = counts ? entryAt : nil
            retries.append(nudge.retry(plan.version, left: left, wasDelayed: attempt.wasDelayed, countedAt: countedAt))
        }
        if nudge.identity.kind != .checkIn {
            evaluate(at: isUntouched ? now + Retry.unsentSeconds : left.map(\.notBefore).min() ?? now)
        }
        return false
    }

    private mutating func evaluate(at instant: Instant) { dueAt = min(dueAt ?? instant, instant) }

    // MARK: One device

    private func enter(_ outcome: PushOutcome, for target: Target, _ attempt: inout Attempt, _ change: inout Change) {
        switch outcome {
        case .accepted:
            attempt.wasAnswered = true
            record(.accepted, target, of: attempt.nudge, status: 200, &change)
            if target.trial == .running, let refusing = target.lane.inOtherEnvironment {
                note(.moved, target, on: refusing, reason: PushOutcome.badDeviceToken, &change)
            }
        case .unknown(let reason):
            attempt.wasAnswered = true
            record(.unknown, target, of: attempt.nudge, reason: reason, &change)
            if attempt.nudge.identity.kind.isRepeatedOnce, !target.isRepeat {
                attempt.keep(target, until: now + Retry.unsentSeconds, isRepeat: true)
            }
        case .rejected(let status, let reason, let deletes):
            record(.rejected, target, of: attempt.nudge, reason: reason, status: status, &change)
            if let deletes { forget(target, deletes, &change) }
        case .suspect(let status, let reason):
            attempt.wasAttempted = true
            let seconds = suspect(target, reason: reason, &change)
            // No window of answers will blame it.
            guard attempt.nudge.type.isForApp || target.trial == .open && reason == PushOutcome.badDeviceToken else {
                return record(.rejected, target, of: attempt.nudge, reason: reason, status: status, &change)
            }
            let isLeft = attempt.keepIfValid(target, at: now + seconds)
            record(isLeft ? .deferred : .rejected, target, of: attempt.nudge, reason: reason, status: status, &change)
        case .delayed(let reason, let status, let retryAfter):
            attempt.wasAttempted = true
            attempt.wasDelayed = true
            let backOff = Retry.backOffSeconds << min(Int64(attempt.nudge.attemptsBefore), 10)
            let wait = max(Int64(clamping: retryAfter ?? 0), status == 429 ? Retry.backOffSeconds / 15 : backOff)
            let isLeft = attempt.keepIfValid(target, at: now + min(wait, 172_800))
            record(isLeft ? .deferred : .skipped, target, of: attempt.nudge, reason: reason, status: status, &change)
        // Nothing was attempted, so nothing is recorded.
        case .unsent: attempt.keep(target, until: now + Retry.unsentSeconds)
        }
    }

    /// The token may be of the other environment. It is tried there a second later, so that a user who waits for a
    /// message gets it. Nobody is blamed yet: the lane's window decides later.
    ///
    /// - Returns: seconds until the next attempt.
    private func suspect(_ target: Target, reason: String, _ change: inout Change) -> Int64 {
        if target.trial == .open, reason == PushOutcome.badDeviceToken {
            note(.suspected, target, on: target.lane, reason: reason, &change)
            return Retry.unsentSeconds
        }
        if target.trial == .running { note(.tried, target, on: target.lane, reason: reason, &change) }
        return Retry.refusalSeconds
    }

    private func note(
        _ state: EnvironmentNote.State,
        _ target: Target,
        on lane: LaneIdentity,
        reason: String,
        _ change: inout Change
    ) {
        change.environments.append(
            EnvironmentNote(
                userID: plan.userID,
                token: target.device.token,
                deviceHash: target.hash,
                environment: lane.environment,
                topic: lane.topic,
                state: state,
                registration: target.device.registration,
                at: attemptedAt,
                reason: reason
            )
        )
    }

    private func forget(_ target: Target, _ deletes: TokenDeletion, _ change: inout Change) {
        // In milliseconds. Rounded to seconds, a token that was registered in the second of its 410 would never be
        // deleted.
        let instant = if case .olderThan(let named) = deletes { named } else { attemptedAt.seconds * 1000 }
        change.staleTokens.append(
            StaleToken(
                userID: plan.userID,
                token: target.device.token,
                // As its row has them: a device that has moved is served by another lane, and a row of the app's own may
                // spell them in another way.
                environment: target.device.environment ?? target.lane.environment,
                topic: target.device.topic ?? target.lane.topic,
                unregisteredAt: instant,
                apnsID: target.apnsID
            )
        )
    }

    private func record(
        _ outcome: DeliveryRecord.Outcome,
        _ target: Target,
        of nudge: PlannedNudge,
        reason: String? = nil,
        status: Int? = nil,
        _ change: inout Change
    ) {
        let decision = nudge.decision?.json
        for member in nudge.members {
            change.records.append(
                DeliveryRecord(
                    userID: plan.userID,
                    kind: member.kind.rawValue,
                    key: member.key,
                    slot: member.slot,
                    deviceHash: target.hash,
                    apnsID: target.apnsID,
                    outcome: outcome,
                    // It was sent with others in one push.
                    reason: reason ?? (nudge.identity.isDigest ? "digest" : nil),
                    status: status,
                    attemptedAt: attemptedAt,
                    decision: decision,
                    template: nudge.template,
                    localMinute: localMinute
                )
            )
        }
    }
}
