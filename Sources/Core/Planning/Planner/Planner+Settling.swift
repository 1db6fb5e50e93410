package import APNs
import Policy
package import TimeZones

extension Planner {
    /// What an intent announces of a user: what is recorded if the outcome of each push stays unknown.
    package func announced(_ plan: SendPlan, attemptedAt: Instant) -> Change {
        var unknown = PlanOutcomes(plan, self, attemptedAt: attemptedAt, now: attemptedAt)
        unknown.enter(repeatElement(PushOutcome.unknown(reason: ""), count: plan.pushCount))
        return unknown.change
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
    ///   - attemptedAt: the intent's instant. All its attempts have it, to the microsecond (`fraction`).
    ///   - now: the next evaluation is computed from here.
    package func settle(
        _ plan: SendPlan,
        outcomes: [PushOutcome],
        attemptedAt: Instant,
        fraction: Int32 = 0,
        now: Instant
    ) -> Change {
        var entered = PlanOutcomes(plan, self, attemptedAt: attemptedAt, fraction: fraction, now: now)
        entered.enter(outcomes)
        var change = entered.change
        var candidate = plan.candidate
        candidate.history = trimmed(change.state.history, of: candidate, now: now)
        candidate.ignored = Int64(change.ignored)
        change.state.history = candidate.history
        // Apple's answers are recorded in any case. Without the zone, the user is only due again soon.
        let next = try? policy.decide(candidate, now: now)
        change.version = plan.row.version
        change.dueAt = dueAt(plan.userID, next, entered.retries, others: entered.dueAt, now: now)
        change.reason = next?.reason
        return change
    }
}

/// Collects the outcomes of a plan's pushes, nudge by nudge and device by device. The change says nothing yet about the
/// user's version and next evaluation.
private struct PlanOutcomes: ~Copyable {
    private(set) var change: Change
    private(set) var retries: [Retry]
    private(set) var dueAt: Instant?

    private let plan: SendPlan
    /// Whether a check-in counts as ignored until the app sees the user.
    private let countsIgnored: Bool
    private let attemptedAt: Instant
    private let fraction: Int32
    private let now: Instant
    private let localMinute: Int16?

    init(_ plan: SendPlan, _ planner: borrowing Planner, attemptedAt: Instant, fraction: Int32 = 0, now: Instant) {
        let row = plan.row
        let state = UserState(fingerprint: row.fingerprint, template: row.template, history: plan.candidate.history)
        change = Change(
            userID: plan.userID,
            turn: row.turn,
            version: nil,
            dueAt: attemptedAt,
            // When the decision was made: slots that have ended since then must still be recorded as skipped.
            evaluatedAt: attemptedAt,
            since: plan.candidate.since,
            state: state,
            ignored: Int16(clamping: plan.candidate.ignored),
            records: plan.records
        )
        retries = plan.draft.retries
        dueAt = plan.draft.dueAt
        (self.plan, self.attemptedAt, self.fraction, self.now) = (plan, attemptedAt, fraction, now)
        countsIgnored = planner.policy.rules.backOffAfter != nil
        // The user's local time of the pushes. Without a zone there is none.
        let zone = (try? planner.policy.zone(of: plan.candidate)) ?? nil
        localMinute = zone.map { zone in
            let time = zone.localTime(at: attemptedAt)
            return Int16((time.date.isoWeekday - 1) * 1440 + time.secondOfDay / 60)
        }
    }

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
    mutating func enter(_ outcomes: some Sequence<PushOutcome>) {
        for retry in plan.draft.retries where retry.identity.kind != .checkIn { evaluate(at: retry.dueAt) }
        if plan.draft.isPartial { evaluate(at: now) }
        var ended = plan.ended
        var outcomes = outcomes.makeIterator()
        for nudge in plan.nudges {
            var attempt = Attempt(nudge: nudge)
            for target in nudge.targets {
                if let outcome = outcomes.next() { enter(outcome, for: target, &attempt) }
            }
            if isOver(attempt), nudge.identity.kind != .checkIn { ended += nudge.members }
        }
        change.retry = Retry.json(retries)
        change.ended = ended.compactMap(\.rowID)
        change.continued = ended.compactMap { plan.draft.continuations[$0] }
    }

    /// Enters a nudge into the history, and what is left of it into the retries. Returns whether nothing is left.
    private mutating func isOver(_ attempt: Attempt) -> Bool {
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
            if plan.draft.dueAt != nil { evaluate(at: now) }
        }
        guard !left.isEmpty else { return true }
        // Nothing was written, so the nudge is as new.
        let isUntouched = !counts && nudge.isFirst && attempt.left.count == nudge.targets.count && !attempt.wasAttempted
        if !isUntouched {
            let (version, countedAt) = (plan.row.version, counts ? entryAt : nil)
            retries.append(nudge.retry(version, left: left, wasDelayed: attempt.wasDelayed, countedAt: countedAt))
        }
        if nudge.identity.kind != .checkIn {
            evaluate(at: isUntouched ? now + Retry.unsentSeconds : left.map(\.notBefore).min() ?? now)
        }
        return false
    }

    private mutating func evaluate(at instant: Instant) { dueAt = min(dueAt ?? instant, instant) }

    // MARK: One device

    private mutating func enter(_ outcome: PushOutcome, for target: Target, _ attempt: inout Attempt) {
        switch outcome {
        case .accepted:
            attempt.wasAnswered = true
            record(.accepted, target, of: attempt.nudge, status: 200)
            if target.trial == .running, let refusing = target.lane.inOtherEnvironment {
                note(.moved, target, on: refusing, why: PushOutcome.badDeviceToken)
            }
        case .unknown(let reason):
            attempt.wasAnswered = true
            record(.unknown, target, of: attempt.nudge, reason: reason)
            // Somebody waits for a text, so its push is repeated once, with the same ids. A check-in's never is.
            if attempt.nudge.identity.kind != .checkIn, !target.isRepeat {
                attempt.keep(target, until: now + Retry.unsentSeconds, isRepeat: true)
            }
        case .rejected(let status, let reason, let deletes):
            record(.rejected, target, of: attempt.nudge, reason: reason, status: status)
            if let deletes { forget(target, deletes) }
        case .suspect(let status, let reason):
            attempt.wasAttempted = true
            // The token may be of the other environment. It is tried there a second later, so that a user who waits
            // for a message gets it. Nobody is blamed yet: the lane's window decides later.
            let triesOther = target.trial == .open && reason == PushOutcome.badDeviceToken
            if triesOther { note(.suspected, target, on: target.lane, why: reason) }
            if target.trial == .running { note(.tried, target, on: target.lane, why: reason) }
            // No window of answers will blame it.
            guard attempt.nudge.type.isForApp || triesOther else {
                return record(.rejected, target, of: attempt.nudge, reason: reason, status: status)
            }
            let seconds = triesOther ? Retry.unsentSeconds : Retry.refusalSeconds
            let isLeft = attempt.keepIfValid(target, at: now + seconds)
            record(isLeft ? .deferred : .rejected, target, of: attempt.nudge, reason: reason, status: status)
        case .delayed(let reason, let status, let retryAfter):
            attempt.wasAttempted = true
            attempt.wasDelayed = true
            let backOff = Retry.backOffSeconds << min(Int64(attempt.nudge.attemptsBefore), 10)
            let wait = max(Int64(clamping: retryAfter ?? 0), status == 429 ? Retry.backOffSeconds / 15 : backOff)
            let isLeft = attempt.keepIfValid(target, at: now + min(wait, 172_800))
            record(isLeft ? .deferred : .skipped, target, of: attempt.nudge, reason: reason, status: status)
        // Nothing was attempted, so nothing is recorded.
        case .unsent: attempt.keep(target, until: now + Retry.unsentSeconds)
        }
    }

    private mutating func note(_ state: EnvironmentNote.State, _ target: Target, on lane: LaneIdentity, why: String) {
        change.environments.append(EnvironmentNote(state, of: plan.userID, target, on: lane, at: attemptedAt, why: why))
    }

    private mutating func forget(_ target: Target, _ deletes: TokenDeletion) {
        // In milliseconds. Rounded to seconds, a token that was registered in the second of its 410 would never be
        // deleted.
        let instant = if case .olderThan(let named) = deletes { named } else { attemptedAt.seconds * 1000 }
        change.staleTokens.append(
            StaleToken(
                userID: plan.userID,
                token: target.device.token,
                // As the device's row has them: a moved device is served by another lane, and the app's own table may
                // spell them in another way.
                environment: target.device.environment ?? target.lane.environment,
                topic: target.device.topic ?? target.lane.topic,
                unregisteredAt: instant,
                apnsID: target.apnsID
            )
        )
    }

    private mutating func record(
        _ outcome: DeliveryRecord.Outcome,
        _ target: Target,
        of nudge: PlannedNudge,
        reason: String? = nil,
        status: Int? = nil
    ) {
        // It was sent with others in one push.
        let reason = reason ?? (nudge.identity.isDigest ? "digest" : nil)
        let decision = nudge.decision?.json
        for member in nudge.members {
            let device = target.hash
            var record = DeliveryRecord(plan.userID, member, device: device, outcome, reason: reason, at: attemptedAt)
            (record.apnsID, record.status, record.fraction) = (target.apnsID, status, fraction)
            (record.decision, record.template, record.localMinute) = (decision, nudge.template, localMinute)
            change.records.append(record)
        }
    }
}
