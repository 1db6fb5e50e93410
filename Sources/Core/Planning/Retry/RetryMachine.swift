import Policy
import TimeZones

/// Moves a user's nudges from their state to the next step: first attempt, another attempt, remaining devices, pause or
/// end.
struct RetryMachine {
    let planner: Planner
    let recipient: Recipient
    let now: Instant

    /// - Parameter history: includes the nudges that are sent before this one.
    func step(_ nudge: PendingNudge, _ state: NudgeState, _ history: History) throws(TimeZoneError) -> NudgeStep {
        switch state {
        case .new: try first(nudge, history)
        case .unanswered(let retry, let devices): try tryAgain(nudge, retry, devices, history)
        case .answered(let retry, let devices, let countedAt):
            try goOn(nudge, retry, devices, history.removing(retry.identity, at: countedAt))
        case .paused(let retry): withheld(nudge, retry, by: try evaluate(nudge, history))
        case .refused(let retry): .end([], closing: retry.counts ? nil : retry.identity.slot)
        case .gone: .end([], closing: nil)
        }
    }

    /// Evaluates the policy. With a recorder, its trace is kept as well.
    func evaluate(_ nudge: PendingNudge, _ history: History) throws(TimeZoneError) -> Decision {
        let candidate = recipient.candidate(for: nudge, with: history)
        guard let recorder = planner.recorder else {
            let decision = try planner.policy.decide(candidate, now: now)
            return withoutLane(nudge, decision) ?? decision
        }
        let (decision, trace) = try planner.policy.explain(candidate, now: now)
        let other = withoutLane(nudge, decision)
        recorder.note(
            DecisionRecorder.Entry(
                kind: nudge.kind,
                key: nudge.text?.identity.key,
                members: nudge.text?.members.map(\.key) ?? [],
                decision: other ?? decision,
                trace: other == nil ? trace : trace.dropLast()
            )
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

    /// The record of a nudge that ends without another push. If it counts, its remaining devices are skipped. Otherwise
    /// it is dropped.
    func ended(_ members: [NudgeIdentity], _ retry: Retry?, _ reason: String) -> [DeliveryRecord] {
        if let retry, retry.counts { return stale(retry, reason) }
        return recipient.records(members, .dropped, reason: reason, at: now)
    }

    // MARK: States

    private func first(_ nudge: PendingNudge, _ history: History) throws(TimeZoneError) -> NudgeStep {
        let decision = try evaluate(nudge, history)
        guard let identity = nudge.identity(sentBy: decision) else { return withheld(nudge, nil, by: decision) }
        let devices = RemainingDevices(due: recipient.devices(of: nudge).served, waiting: [])
        return send(nudge, identity, devices, nil, under: decision, history)
    }

    private func tryAgain(
        _ nudge: PendingNudge,
        _ retry: Retry,
        _ devices: RemainingDevices,
        _ history: History
    ) throws(TimeZoneError) -> NudgeStep {
        let decision = try evaluate(nudge, history)
        guard let identity = nudge.identity(sentBy: decision) else {
            return withheld(nudge, nudge.rules.outlivesItsAnswer ? retry : nil, by: decision)
        }
        // Another slot is due.
        guard identity == retry.identity else { return try first(nudge, history) }
        return send(nudge, identity, devices, retry, under: decision, history)
    }

    /// - Parameter history: without the nudge's own entry.
    private func goOn(
        _ nudge: PendingNudge,
        _ retry: Retry,
        _ devices: RemainingDevices,
        _ history: History
    ) throws(TimeZoneError) -> NudgeStep {
        var decision = try evaluate(nudge, history)
        if retry.isOver(at: now) || retry.version.changes != recipient.user.version.changes {
            guard nudge.identity(sentBy: decision) == retry.identity else {
                guard nudge.rules.isKept(by: decision) else {
                    return .end(stale(retry, nudge.staleReason(decision)), closing: nil)
                }
                return .wait(decision, nudge.rules.isDueByItsRetry ? retry.postponed(by: decision) : retry)
            }
        } else {
            decision = Decision(.send, decision.reason, urgent: decision.urgent, validUntil: retry.validUntil)
        }
        return send(nudge, retry.identity, devices, retry, under: decision, history)
    }

    /// It is not sent now. It waits with what is left of it, or it ends.
    private func withheld(_ nudge: PendingNudge, _ retry: Retry?, by decision: Decision) -> NudgeStep {
        guard decision.action == .drop else { return .wait(decision, retry) }
        if let slot = decision.slot {
            let skipped = recipient.records([.checkIn(slot)], .skipped, reason: decision.reason.rawValue, at: now)
            return .end(skipped, closing: slot)
        }
        return .end(ended(nudge.text?.members ?? [], retry, decision.reason.rawValue), closing: nil)
    }

    private func send(
        _ nudge: PendingNudge,
        _ identity: NudgeIdentity,
        _ devices: RemainingDevices,
        _ retry: Retry?,
        under decision: Decision,
        _ history: History
    ) -> NudgeStep {
        if let retry, devices.due.isEmpty { return .backOff(retry.keeping(devices.waiting)) }
        let attempt = PlannedNudge.Attempt(
            identity: identity,
            decision: decision,
            unseen: Int(history.unseen?.count ?? 0),
            targets: recipient.targets(devices.due, of: identity, repeating: retry?.left.repeats ?? []),
            waiting: devices.waiting,
            retry: retry
        )
        guard let planned = planner.render(nudge, attempt, for: recipient, now: now) else {
            guard let text = nudge.text else { return withoutText(retry) }
            return .end(recipient.records(text.members, .dropped, reason: "payload_malformed", at: now), closing: nil)
        }
        return .send(planned)
    }

    /// No template fits, so the check-in is held. The remaining devices of one that others have got are skipped.
    private func withoutText(_ retry: Retry?) -> NudgeStep {
        let decision = Decision(.hold, .noText)
        if let retry, retry.counts { return .end(stale(retry, decision.reason.rawValue), closing: nil) }
        planner.recorder?.noteMissingText(decision)
        return .wait(decision, nil)
    }

    /// Records the remaining devices of a nudge that counts, after its time has ended.
    private func stale(_ retry: Retry, _ reason: String) -> [DeliveryRecord] {
        // A token in two rows of the app is one device.
        var seen: Set<String> = []
        return retry.left.filter { seen.insert($0.deviceHash).inserted }.flatMap { left in
            // The time of its end.
            recipient.records(
                retry.members,
                device: left.deviceHash,
                .skipped,
                reason: reason,
                at: min(retry.validUntil ?? now, now)
            )
        }
    }
}

/// What to do with a nudge now.
enum NudgeStep {
    /// It is sent to some of its devices.
    case send(PlannedNudge)
    /// The policy does not allow it now. The retry is what is left of it.
    case wait(Decision, Retry?)
    /// The policy allows it, but all remaining devices must wait.
    case backOff(Retry)
    /// There is no other attempt. After a check-in, the next slot is evaluated. A message or reminder ends with its
    /// row.
    ///
    /// - Parameter closing: the slot of a check-in that does not count.
    case end([DeliveryRecord], closing: LocalDate?)
}
