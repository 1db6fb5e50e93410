import APNs
import Configuration
import Policy
import TimeZones

extension Planner {
    /// nil: a push can't hold the row's text and data, or a check-in has no text.
    func render(
        _ nudge: PendingNudge,
        _ attempt: PlannedNudge.Attempt,
        for recipient: Recipient,
        now: Instant
    ) -> PlannedNudge? {
        let content =
            switch nudge {
            case .checkIn: checkIn(attempt, for: recipient, now: now)
            case .text(let text): self.text(text, attempt, for: recipient, now: now)
            }
        return content.map { PlannedNudge(attempt, $0) }
    }

    private func checkIn(
        _ attempt: PlannedNudge.Attempt,
        for recipient: Recipient,
        now: Instant
    ) -> PlannedNudge.Content? {
        let context = RecipientContext(json: recipient.user.context)
        guard let choice = choose(attempt, for: recipient, context) else { return nil }
        let asks = mayAsk(about: recipient)
        let counts = choice.badgeIncrement > 0
        let said = asks || counts ? checkInTexts.content(of: choice, context)?.counted(after: attempt) : nil
        return PlannedNudge.Content(
            members: [attempt.identity],
            payload: counts ? said?.payload(passesFocus: false) ?? choice.payload : choice.payload,
            template: choice.template,
            collapseKey: attempt.identity.key,
            endsAt: attempt.decision.validUntil,
            // A phone that gets its network back at night must not show yesterday's check-in. The policy gives every
            // check-in an end.
            expiresAt: attempt.decision.validUntil ?? now,
            text: asks ? said : nil,
            badgeIncrement: choice.badgeIncrement
        )
    }

    /// Without the user's consent, nothing for the service is in the plan.
    private func mayAsk(about recipient: Recipient) -> Bool {
        asksService && recipient.candidate.preferences.smartEnabled
    }

    /// Chosen once per slot. The user's remaining devices get the same text as the others, while it fits.
    private func choose(
        _ attempt: PlannedNudge.Attempt,
        for recipient: Recipient,
        _ context: RecipientContext
    ) -> CheckInTexts.Choice? {
        guard let slot = attempt.identity.slot else { return nil }
        if attempt.retry?.counts == true, let again = checkInTexts.again(recipient.user.template, context) {
            return again
        }
        let question = CheckInTexts.Question(
            user: recipient.user.userID,
            slot: slot,
            last: recipient.user.template,
            context: context
        )
        recorder?.note(templateOutcomes: checkInTexts.templateOutcomes(question))
        return checkInTexts.choose(question)
    }

    private func text(
        _ text: PendingText,
        _ attempt: PlannedNudge.Attempt,
        for recipient: Recipient,
        now: Instant
    ) -> PlannedNudge.Content? {
        let passesFocus = attempt.decision.urgent && recipient.candidate.preferences.allowUrgent
        // An update reaches the phone of a user who sleeps, but not its speaker.
        let isUpdate = text.content.surface != nil && !text.content.isWithoutText
        let hearing = isUpdate && !passesFocus ? hearing(of: recipient, now: now) : nil
        let isHeard = !isUpdate || passesFocus || hearing != nil
        let content = (isHeard ? text.content : text.content.silenced).counted(after: attempt)
        guard let payload = content.payload(passesFocus: passesFocus) else { return nil }
        return PlannedNudge.Content(
            members: text.members,
            payload: payload,
            template: nil,
            collapseKey: text.collapseName,
            endsAt: text.expiresAt,
            expiresAt: text.expiration(now: now),
            // The service decides only about what a user reads.
            text: mayAsk(about: recipient) && !content.isSilent && content.surface == nil ? content : nil,
            type: text.content.type,
            isSilent: text.nudge.isSilent && content.isWithoutText,
            heardUntil: hearing?.validUntil,
            badgeIncrement: content.badgeIncrement
        )
    }

    /// The answer about a message that could be heard now. nil: quiet hours, a mute or a limit hold it back, or the zone
    /// is unknown.
    private func hearing(of recipient: Recipient, now: Instant) -> Decision? {
        var candidate = recipient.candidate
        candidate.nudge = .message(Message(title: "", body: "", urgent: false))
        (candidate.devices, candidate.paused) = (1, false)
        guard let decision = try? policy.decide(candidate, now: now), decision.action == .send else { return nil }
        return decision
    }
}
