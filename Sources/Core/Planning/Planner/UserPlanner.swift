import Policy
import TimeZones

/// Plans one user's nudges, one after the other. Moves each from its state to the next step: first attempt, another
/// attempt, remaining devices, pause or end.
///
/// Not copyable, since a copy would count three dozen references.
struct UserPlanner: ~Copyable {
    let planner: Planner
    let user: ClaimedUser
    let now: Instant
    let candidate: Candidate
    /// The fingerprint of everything that sets the candidate's `since`.
    let fingerprint: Int64
    let devices: RecipientDevices
    let surfaces: [String: RecipientDevices]
    /// What is left of earlier nudges.
    let retries: [NudgeIdentity: Retry]
    let messages: [PendingText]
    /// Messages for a wall time, of a user whose zone is unknown.
    let unplacedMessages: [PendingMessage]
    /// Made once for all messages: a user may have thousands of keywords, and thousands of messages that wait. Not in
    /// `candidate`, which a plan keeps while it is in flight.
    let keywords: KeywordMatcher?
    /// What was planned so far. Its history counts the nudges that are sent before the next one.
    var draft: PlanDraft

    /// Messages and reminders come first, since somebody waits for them. The check-in counts them.
    ///
    /// - Returns: the decision that holds the check-in back. nil: it is sent.
    mutating func planAll() throws(TimeZoneError) -> Decision? {
        draft.records = try skippedSlots()
        if !user.messages.isEmpty || user.messagesWakeAt != nil || !user.reminders.isEmpty { try planTexts() }
        return try plan(.checkIn, checkInRetry.flatMap { draft.ended.contains($0.identity) ? nil : $0 })
    }

    private func skippedSlots() throws(TimeZoneError) -> [DeliveryRecord] {
        guard let evaluated = user.evaluatedAt, evaluated < now else { return [] }
        // A slot that passes during a pause counts as skipped.
        var candidate = candidate
        candidate.paused = false
        return try planner.policy.skippedSlots(candidate, lastEvaluated: evaluated, now: now).flatMap { skipped in
            // The slot's end, not `now`.
            records([.checkIn(skipped.slot)], .skipped, reason: skipped.reason, at: skipped.limit)
        }
    }

    /// Moves a nudge one step on, by what is left of it (`Retry`) and by the devices that are registered now. All kinds
    /// share these states. Only check-ins differ, since nobody waits for one and the next slot follows:
    ///
    /// - new: there was no attempt, or its devices are new. → unanswered or answered, by its first outcomes
    ///   (`PlanOutcomes`); ended if every device was rejected.
    /// - unanswered: no device was answered, so it does not count. The policy is evaluated again; only the back-off is
    ///   kept. → answered; new, when its devices are removed; paused; ended by the policy's answer.
    /// - answered: a device was answered, or may have been, so it counts. The others follow under its first answer
    ///   until that ends or something changes. Then they are evaluated without the nudge's own entry in the history.
    ///   → paused; ended when nothing is left, or by the policy's answer.
    /// - paused: its kind is paused while its answer holds. → unanswered or answered.
    ///
    /// - Returns: the decision that holds it back. nil: it is sent or has ended.
    @discardableResult
    mutating func plan(_ nudge: PendingNudge, _ retry: Retry?) throws(TimeZoneError) -> Decision? {
        guard let retry else { return try attempt(nudge) }
        let (left, ends) = withoutEnded(retry, of: nudge)
        draft.records += ends
        if left.left.isEmpty, !ends.isEmpty {
            // Its last devices get no other attempt: they are in quarantine, or no lane has served them for long. An open
            // slot would be due again.
            return try end(nudge, [], closing: left.counts ? nil : left.identity.slot)
        }
        let devices = devices(of: nudge).remaining(left, now: now)
        if devices.due.isEmpty, devices.waiting.isEmpty {
            // If all devices are new, the back-off of the old ones does not apply.
            return try left.counts ? end(nudge, []) : attempt(nudge)
        }
        if isPaused(left.identity.kind), !left.isOver(at: now) {
            return try withhold(nudge, left, by: try evaluate(nudge, draft.history))
        }
        return try left.counts ? goOn(nudge, (left, devices)) : attempt(nudge, (left, devices))
    }

    /// Evaluates the policy. With a recorder, its trace is kept as well.
    private func evaluate(_ nudge: PendingNudge, _ history: History) throws(TimeZoneError) -> Decision {
        // Nearly always a check-in's is the user's own: a copy would count two dozen references.
        if planner.recorder == nil, nudge.text == nil, history == candidate.history {
            return try planner.policy.decide(candidate, now: now)
        }
        let candidate = candidate(for: nudge, with: history)
        guard let recorder = planner.recorder else {
            let decision = try planner.policy.decide(candidate, now: now)
            return withoutLane(nudge, decision) ?? decision
        }
        var (decision, trace) = try planner.policy.explain(candidate, now: now)
        if let other = withoutLane(nudge, decision) { (decision, trace) = (other, Array(trace.dropLast())) }
        let (key, members) = (nudge.text?.identity.key, nudge.text?.members.map(\.key) ?? [])
        recorder.note(.init(kind: nudge.kind, key: key, members: members, decision: decision, trace: trace))
        return decision
    }

    /// A lane may come back: the app's text must not be dropped at once because of this daemon's configuration. Nor
    /// because its token has not come yet. nil: the policy's answer stands.
    private func withoutLane(_ nudge: PendingNudge, _ decision: Decision) -> Decision? {
        guard decision.reason == .noDevice || decision.reason == .expired, let text = nudge.text else { return nil }
        let devices = devices(of: nudge)
        guard devices.served.isEmpty, !devices.foreign.isEmpty || text.waitsForToken else { return nil }
        let end = text.expiresAt ?? text.createdAt + RecipientDevices.laneSeconds
        return Decision(now < end ? .hold : .drop, devices.foreign.isEmpty ? decision.reason : .deviceNotServed)
    }

    // MARK: States

    /// What is left of an attempt, and those of its devices that are still registered.
    private typealias Known = (retry: Retry, devices: RecipientDevices.Remaining)

    /// - Parameter known: the rest of an attempt that no device answered. nil: there was no attempt.
    private mutating func attempt(_ nudge: PendingNudge, _ known: Known? = nil) throws(TimeZoneError) -> Decision? {
        let decision = try evaluate(nudge, draft.history)
        guard let identity = nudge.identity(sentBy: decision) else {
            // A check-in starts as new when the policy allows it again.
            return try withhold(nudge, nudge.text == nil ? nil : known?.retry, by: decision)
        }
        // What is left of another slot doesn't apply: this one starts as new.
        return try send(nudge, identity, known?.retry.identity == identity ? known : nil, under: decision)
    }

    private mutating func goOn(_ nudge: PendingNudge, _ known: Known) throws(TimeZoneError) -> Decision? {
        let retry = known.retry
        // Without the nudge's own entry.
        var history = draft.history
        if let countedAt = retry.countedAt { history.remove(retry.identity, at: countedAt) }
        var decision = try evaluate(nudge, history)
        if retry.isOver(at: now) || retry.version.changes != user.version.changes {
            guard nudge.identity(sentBy: decision) == retry.identity else {
                if nudge.text != nil {
                    if decision.action == .wait || decision.action == .hold { return wait(nudge, retry, by: decision) }
                    return try end(nudge, stale(retry, decision.reason.rawValue))
                }
                guard decision.action == .wait, decision.reason == .quietHours || decision.reason == .capped else {
                    return try end(nudge, stale(retry, "stale"))
                }
                return wait(nudge, retry.postponed(by: decision), by: decision)
            }
        } else {
            decision = Decision(.send, decision.reason, urgent: decision.urgent, validUntil: retry.validUntil)
        }
        return try send(nudge, retry.identity, known, under: decision)
    }

    // MARK: Steps

    /// It is sent to those of its devices that need not wait.
    private mutating func send(
        _ nudge: PendingNudge,
        _ identity: NudgeIdentity,
        _ known: Known?,
        under decision: Decision
    ) throws(TimeZoneError) -> Decision? {
        let retry = known?.retry
        let (due, waiting) = known?.devices ?? (due: devices(of: nudge).served, waiting: [])
        if let retry, due.isEmpty {
            let left = retry.keeping(waiting)
            // A check-in's next instant is in its retry, and `due_at` is computed from that.
            draft.wait(until: nudge.text == nil ? nil : left.dueAt, retry: left)
            return nudge.text == nil ? try evaluate(nudge, draft.history) : nil
        }
        var attempt = PlannedNudge.Values(
            identity: identity,
            answer: decision,
            unseen: Int(draft.history.unseen?.count ?? 0),
            targets: targets(due, of: identity, repeats: retry?.left.repeats ?? []),
            waiting: waiting,
            retry: retry
        )
        guard fill(&attempt, by: nudge) else {
            guard let text = nudge.text else { return try withoutText(retry) }
            return try end(nudge, records(text.members, .dropped, reason: "payload_malformed", at: now))
        }
        draft.send(PlannedNudge(consume attempt), now: now)
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
            let skipped = records([.checkIn(slot)], .skipped, reason: decision.reason.rawValue, at: now)
            return try end(nudge, skipped, closing: slot)
        }
        return try end(nudge, ended(nudge.text?.members ?? [], retry, decision.reason.rawValue))
    }

    private mutating func wait(_ nudge: PendingNudge, _ retry: Retry?, by decision: Decision) -> Decision {
        // A held nudge needs a change, and a change makes the user due. But its own end must be seen as well.
        draft.wait(until: nudge.text.flatMap { decision.nextAt ?? $0.expiresAt }, retry: retry)
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
            draft.ended += text.members
            return nil
        }
        if let closing { draft.close(closing) }
        return try plan(.checkIn, nil)
    }

    mutating func drop(_ identity: NudgeIdentity, because reason: String) {
        draft.records += ended([identity], retries[identity], reason)
        draft.ended.append(identity)
    }

    /// The record of a nudge that ends without another push. If it counts, its remaining devices are skipped. Otherwise
    /// it is dropped.
    private func ended(_ members: [NudgeIdentity], _ retry: Retry?, _ reason: String) -> [DeliveryRecord] {
        if let retry, retry.counts { return stale(retry, reason) }
        return records(members, .dropped, reason: reason, at: now)
    }

    /// Records the remaining devices of a nudge that counts, after its time has ended.
    private func stale(_ retry: Retry, _ reason: String) -> [DeliveryRecord] {
        // A token in two rows of the app is one device.
        var seen: Set<String> = []
        let hashes = retry.left.map(\.deviceHash).filter { seen.insert($0).inserted }
        // The time of its end.
        let end = min(retry.validUntil ?? now, now)
        return hashes.flatMap { records(retry.members, device: $0, .skipped, reason: reason, at: end) }
    }
}

/// A user who gets nothing.
extension UserPlanner {
    /// - Parameter checkIn: the decision that holds the check-in back.
    func settlement(_ checkIn: Decision) -> Change {
        let (id, others, soon) = (user.userID, draft.nextLook(now: now), !devices.foreign.isEmpty)
        let history = planner.trimmed(draft.base, of: candidate, now: now)
        return Change(
            userID: id,
            turn: user.turn,
            version: user.version,
            dueAt: planner.dueAt(id, checkIn, draft.retries, others: others, now: now, soon: soon),
            evaluatedAt: now,
            since: candidate.since,
            state: UserState(fingerprint: fingerprint, template: user.template, history: history),
            ignored: Int16(clamping: candidate.ignored),
            retry: Retry.json(draft.retries),
            reason: checkIn.reason,
            records: draft.records,
            ended: draft.ended.compactMap(\.rowID),
            continued: draft.ended.compactMap { draft.continuations[$0] }
        )
    }
}
