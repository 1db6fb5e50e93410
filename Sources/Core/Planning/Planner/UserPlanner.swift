import Policy
import TimeZones

/// Plans one user's nudges, one after the other. Moves each from its state to the next step: first attempt, another
/// attempt, remaining devices, pause or end.
///
/// Not copyable, since a copy would count three dozen references.
struct UserPlanner: ~Copyable {
    let planner: Planner
    let recipient: Recipient
    let now: Instant
    /// What was planned so far. Its history counts the nudges that are sent before the next one.
    var draft: PlanDraft

    init(_ user: ClaimedUser, _ planner: borrowing Planner, now: Instant) throws(TimeZoneError) {
        self.planner = copy planner
        self.now = now
        recipient = try Recipient(user, planner: planner, now: now)
        draft = PlanDraft(recipient.candidate.history)
    }

    /// Messages and reminders come first, since somebody waits for them. The check-in counts them.
    ///
    /// - Returns: the decision that holds the check-in back. nil: it is sent.
    mutating func planAll() throws(TimeZoneError) -> Decision? {
        draft.records = try skippedSlots()
        if recipient.hasTexts { try planTexts() }
        return try plan(.checkIn, recipient.checkInRetry.flatMap { draft.ended.contains($0.identity) ? nil : $0 })
    }

    private func skippedSlots() throws(TimeZoneError) -> [DeliveryRecord] {
        guard let evaluated = recipient.user.evaluatedAt, evaluated < now else { return [] }
        // A slot that passes during a pause counts as skipped.
        var candidate = recipient.candidate
        candidate.paused = false
        return try planner.policy.skippedSlots(candidate, lastEvaluated: evaluated, now: now).flatMap { skipped in
            // The slot's end, not `now`.
            recipient.records([.checkIn(skipped.slot)], .skipped, reason: skipped.reason.rawValue, at: skipped.limit)
        }
    }

    /// Moves a nudge one step on and enters the result into the draft.
    ///
    /// - Returns: the decision that holds it back. nil: it is sent or has ended.
    @discardableResult
    mutating func plan(_ nudge: PendingNudge, _ retry: Retry?) throws(TimeZoneError) -> Decision? {
        switch state(of: nudge, retry) {
        case .new: return try attempt(nudge)
        case .unanswered(let retry, let devices): return try attempt(nudge, (retry, devices))
        case .answered(let retry, let devices, let countedAt): return try goOn(nudge, retry, devices, countedAt)
        case .paused(let retry): return try withhold(nudge, retry, by: try evaluate(nudge, draft.history))
        case .refused(let retry): return try end(nudge, [], closing: retry.counts ? nil : retry.identity.slot)
        case .gone: return try end(nudge, [])
        }
    }

    /// The state by what is left of the nudge and by the devices that are registered now. Enters the records of devices
    /// that get no other attempt.
    private mutating func state(of nudge: PendingNudge, _ retry: Retry?) -> NudgeState {
        guard let retry else { return .new }
        let (left, ends) = recipient.withoutEnded(retry, of: nudge, now: now)
        draft.records += ends
        if left.left.isEmpty, !ends.isEmpty { return .refused(left) }
        let devices = recipient.devices(of: nudge).remaining(left, now: now)
        // If all devices are new, the back-off of the old ones does not apply.
        if devices.isEmpty { return left.counts ? .gone : .new }
        if recipient.isPaused(left.identity.kind), !left.isOver(at: now) { return .paused(left) }
        guard let countedAt = left.countedAt else { return .unanswered(left, devices) }
        return .answered(left, devices, countedAt: countedAt)
    }

    /// Evaluates the policy. With a recorder, its trace is kept as well.
    private func evaluate(_ nudge: PendingNudge, _ history: History) throws(TimeZoneError) -> Decision {
        let candidate = recipient.candidate(for: nudge, with: history)
        guard let recorder = planner.recorder else {
            let decision = try planner.policy.decide(candidate, now: now)
            return withoutLane(nudge, decision) ?? decision
        }
        let (decision, trace) = try planner.policy.explain(candidate, now: now)
        let other = withoutLane(nudge, decision)
        recorder.note(
            nudge.kind,
            nudge.text?.identity.key,
            members: nudge.text?.members.map(\.key) ?? [],
            other ?? decision,
            trace: other == nil ? trace : trace.dropLast()
        )
        return other ?? decision
    }

    /// A lane may come back: the app's text must not be dropped at once because of this daemon's configuration. Nor
    /// because its token has not come yet. nil: the policy's answer stands.
    private func withoutLane(_ nudge: PendingNudge, _ decision: Decision) -> Decision? {
        guard decision.reason == .noDevice || decision.reason == .expired, let text = nudge.text else { return nil }
        let devices = recipient.devices(of: nudge)
        guard devices.served.isEmpty, !devices.foreign.isEmpty || text.waitsForToken else { return nil }
        let end = text.expiresAt ?? text.createdAt + RecipientDevices.laneSeconds
        return Decision(now < end ? .hold : .drop, devices.foreign.isEmpty ? decision.reason : .deviceNotServed)
    }

    // MARK: States

    /// - Parameter known: what is left of an attempt that no device answered. nil: there was none.
    private mutating func attempt(
        _ nudge: PendingNudge,
        _ known: (retry: Retry, devices: RemainingDevices)? = nil
    ) throws(TimeZoneError) -> Decision? {
        let decision = try evaluate(nudge, draft.history)
        guard let identity = nudge.identity(sentBy: decision) else {
            return try withhold(nudge, nudge.kind.outlivesItsAnswer ? known?.retry : nil, by: decision)
        }
        // Another slot of a check-in starts as new.
        if let known, known.retry.identity == identity {
            return try send(nudge, identity, known.devices, known.retry, under: decision)
        }
        let devices = RemainingDevices(due: recipient.devices(of: nudge).served, waiting: [])
        return try send(nudge, identity, devices, nil, under: decision)
    }

    private mutating func goOn(
        _ nudge: PendingNudge,
        _ retry: Retry,
        _ devices: RemainingDevices,
        _ countedAt: Instant
    ) throws(TimeZoneError) -> Decision? {
        // Without the nudge's own entry.
        var history = draft.history
        history.remove(retry.identity, at: countedAt)
        var decision = try evaluate(nudge, history)
        if retry.isOver(at: now) || retry.version.changes != recipient.user.version.changes {
            guard nudge.identity(sentBy: decision) == retry.identity else {
                guard nudge.kind.isKept(by: decision) else {
                    return try end(nudge, stale(retry, nudge.staleReason(decision)))
                }
                return wait(nudge, nudge.kind.isDueByItsRetry ? retry.postponed(by: decision) : retry, by: decision)
            }
        } else {
            decision = Decision(.send, decision.reason, urgent: decision.urgent, validUntil: retry.validUntil)
        }
        return try send(nudge, retry.identity, devices, retry, under: decision)
    }

    // MARK: Steps

    /// It is sent to those of its devices that need not wait.
    private mutating func send(
        _ nudge: PendingNudge,
        _ identity: NudgeIdentity,
        _ devices: RemainingDevices,
        _ retry: Retry?,
        under decision: Decision
    ) throws(TimeZoneError) -> Decision? {
        if let retry, devices.due.isEmpty {
            let left = retry.keeping(devices.waiting)
            draft.wait(until: nudge.kind.isDueByItsRetry ? nil : left.dueAt, retry: left)
            return nudge.text == nil ? try evaluate(nudge, draft.history) : nil
        }
        let attempt = PlannedNudge.Attempt(
            identity: identity,
            decision: decision,
            unseen: Int(draft.history.unseen?.count ?? 0),
            targets: recipient.targets(devices.due, of: identity, repeats: retry?.left.repeats ?? []),
            waiting: devices.waiting,
            retry: retry
        )
        guard let content = content(of: nudge, attempt) else {
            guard let text = nudge.text else { return try withoutText(retry) }
            return try end(nudge, recipient.records(text.members, .dropped, reason: "payload_malformed", at: now))
        }
        draft.send(PlannedNudge(attempt, content), now: now)
        return nil
    }

    /// The policy does not allow it now. It waits with what is left of it, or it ends.
    private mutating func withhold(
        _ nudge: PendingNudge,
        _ retry: Retry?,
        by decision: Decision
    ) throws(TimeZoneError) -> Decision? {
        guard decision.action == .drop else { return wait(nudge, retry, by: decision) }
        if let slot = decision.slot {
            let skipped = recipient.records([.checkIn(slot)], .skipped, reason: decision.reason.rawValue, at: now)
            return try end(nudge, skipped, closing: slot)
        }
        return try end(nudge, ended(nudge.text?.members ?? [], retry, decision.reason.rawValue))
    }

    private mutating func wait(_ nudge: PendingNudge, _ retry: Retry?, by decision: Decision) -> Decision {
        // A held nudge needs a change, and a change makes the user due. But its own end must be seen as well.
        draft.wait(until: nudge.kind.isDueByItsRetry ? nil : decision.nextAt ?? nudge.text?.expiresAt, retry: retry)
        return decision
    }

    /// No template fits, so the check-in is held. The remaining devices of one that others have got are skipped.
    private mutating func withoutText(_ retry: Retry?) throws(TimeZoneError) -> Decision? {
        let decision = Decision(.hold, .noText)
        if let retry, retry.counts { return try end(.checkIn, stale(retry, decision.reason.rawValue)) }
        planner.recorder?.noteMissingText(decision)
        return wait(.checkIn, nil, by: decision)
    }

    /// There is no other attempt. After a check-in, the next slot is evaluated. A message or reminder ends with its row.
    ///
    /// - Parameter closing: the slot of a check-in that does not count.
    private mutating func end(
        _ nudge: PendingNudge,
        _ records: [DeliveryRecord],
        closing: LocalDate? = nil
    ) throws(TimeZoneError) -> Decision? {
        draft.records += records
        if let text = nudge.text {
            draft.end(text.members)
            return nil
        }
        if let closing { draft.close(closing) }
        return try plan(.checkIn, nil)
    }

    /// Ends a nudge without evaluating it.
    mutating func drop(_ identity: NudgeIdentity, because reason: String) {
        draft.records += ended([identity], recipient.retries[identity], reason)
        draft.end([identity])
    }

    /// The record of a nudge that ends without another push. If it counts, its remaining devices are skipped. Otherwise
    /// it is dropped.
    private func ended(_ members: [NudgeIdentity], _ retry: Retry?, _ reason: String) -> [DeliveryRecord] {
        if let retry, retry.counts { return stale(retry, reason) }
        return recipient.records(members, .dropped, reason: reason, at: now)
    }

    /// Records the remaining devices of a nudge that counts, after its time has ended.
    private func stale(_ retry: Retry, _ reason: String) -> [DeliveryRecord] {
        // A token in two rows of the app is one device.
        var seen: Set<String> = []
        let hashes = retry.left.map(\.deviceHash).filter { seen.insert($0).inserted }
        // The time of its end.
        let end = min(retry.validUntil ?? now, now)
        return hashes.flatMap { recipient.records(retry.members, device: $0, .skipped, reason: reason, at: end) }
    }
}
