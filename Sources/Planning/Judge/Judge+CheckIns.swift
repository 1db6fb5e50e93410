import Policy
import Store
import TimeZones

/// Check-ins.
extension Judge {
    /// Returns the decision that lets the user rest; nil: the check-in is in the draft.
    func decideCheckIn(
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> Decision? {
        guard let retry = subject.retries.first(where: { $0.identity.kind == .checkIn }) else {
            return try firstCheckIn(subject, &draft, now: now)
        }
        let (left, ends) = subject.judged(retry)
        draft.records += ends
        // Every device was finally rejected, the last ones by quarantine: without this, the slot would be due again (apns.md).
        if left.isEmpty, !ends.isEmpty {
            if !retry.counts, let slot = retry.identity.slot { draft.close(slot) }
            return try firstCheckIn(subject, &draft, now: now)
        }
        let rest = retry.keeping(left)
        if let paused = try restPaused(rest, subject, &draft, now: now) { return paused }
        return try retry.counts
            ? goOn(rest, subject, &draft, now: now) : tryAgain(rest, subject, &draft, now: now)
    }

    /// Nothing is left of an earlier one.
    private func firstCheckIn(
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> Decision? {
        let decision = try decide(subject.asked(with: draft.history), now: now)
        guard let (slot, validUntil) = decision.checkIn else { return decision }
        let identity = NudgeIdentity.checkIn(slot)
        draft.send(
            checkIn(identity, validUntil, subject.targets(subject.served, of: identity), subject, isFirst: true),
            now: now
        )
        return nil
    }

    /// No device was answered: the policy is asked anew, and only the back-off is remembered.
    private func tryAgain(
        _ retry: Retry,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> Decision? {
        let decision = try decide(subject.asked(with: draft.history), now: now)
        guard let (slot, validUntil) = decision.checkIn, slot == retry.identity.slot else {
            return try firstCheckIn(subject, &draft, now: now)
        }
        let left = subject.split(retry.left, now: now)
        // Devices that are all new since then owe nothing to the back-off of the old ones.
        guard !(left.due.isEmpty && left.waiting.isEmpty) else { return try firstCheckIn(subject, &draft, now: now) }
        guard !left.due.isEmpty else {
            draft.wait(until: nil, retry: retry.keeping(left.waiting))
            return decision
        }
        let targets = subject.targets(left.due, of: retry.identity)
        draft.send(
            checkIn(retry.identity, validUntil, targets, subject, waiting: left.waiting, attempt: retry.attempt),
            now: now
        )
        return nil
    }

    /// Some device was answered, so the nudge counts: the others go on under its first answer until that ends or something
    /// changed, and are then asked without the nudge's own entry.
    private func goOn(
        _ retry: Retry,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> Decision? {
        let left = subject.split(retry.left, now: now)
        let asIs = try decide(subject.asked(with: draft.history), now: now)
        guard !(left.due.isEmpty && left.waiting.isEmpty) else { return try firstCheckIn(subject, &draft, now: now) }
        let own = draft.history.checkIns.last { $0.slot == retry.identity.slot }
        guard var validUntil = retry.validUntil else { return try firstCheckIn(subject, &draft, now: now) }
        if now >= validUntil || retry.version.changes != subject.user.version.changes {
            let without = own.map(draft.history.removing) ?? draft.history
            let decision = try decide(subject.asked(with: without), now: now)
            if decision.action == .wait, decision.reason == .quietHours || decision.reason == .capped {
                draft.wait(until: nil, retry: retry.postponed(by: decision))
                return decision
            }
            guard let again = decision.checkIn, again.slot == retry.identity.slot else {
                draft.records += subject.stale(retry, now: now)
                return try firstCheckIn(subject, &draft, now: now)
            }
            validUntil = again.validUntil
        }
        guard !left.due.isEmpty else {
            draft.wait(until: nil, retry: retry.keeping(left.waiting))
            return asIs
        }
        let targets = subject.targets(left.due, of: retry.identity)
        draft.send(
            checkIn(
                retry.identity,
                validUntil,
                targets,
                subject,
                waiting: left.waiting,
                attempt: retry.attempt,
                countedAt: own?.at ?? now
            ),
            now: now
        )
        return nil
    }

    private func checkIn(
        _ identity: NudgeIdentity,
        _ validUntil: Instant,
        _ targets: [PlannedNudge.Target],
        _ subject: Subject,
        waiting: [Retry.Left] = [],
        isFirst: Bool = false,
        attempt: Int = 0,
        countedAt: Instant? = nil
    ) -> PlannedNudge {
        let context = RecipientContext(json: subject.user.context)
        let choice = choose(identity, subject, context, isCounted: countedAt != nil)
        return PlannedNudge(
            identity: identity,
            members: [identity],
            payload: choice.payload,
            template: choice.template,
            collapseKey: identity.key,
            validUntil: validUntil,
            endsAt: validUntil,
            // A phone that finds its network again in the night does not buzz with yesterday's.
            expiresAt: validUntil,
            targets: targets,
            waiting: waiting,
            isFirst: isFirst,
            attempt: attempt,
            countedAt: countedAt,
            content: asksService ? words.content(of: choice, context) : nil
        )
    }

    /// Chosen once a slot: what others of the user's devices have got, these get as well.
    private func choose(
        _ identity: NudgeIdentity,
        _ subject: Subject,
        _ context: RecipientContext,
        isCounted: Bool
    ) -> CheckInWords.Choice {
        guard let slot = identity.slot, !isCounted else { return words.again(subject.user.template, context) }
        let question = CheckInWords.Question(
            user: subject.user.userID,
            slot: slot,
            last: subject.user.template,
            context: context
        )
        recorder?.note(fates: words.fates(question))
        return words.choose(question)
    }
}

extension Decision {
    /// A check-in to send: its slot, and the instant from which on it must not be written.
    var checkIn: (slot: LocalDate, validUntil: Instant)? {
        guard action == .send, let slot, let validUntil else { return nil }
        return (slot, validUntil)
    }
}
