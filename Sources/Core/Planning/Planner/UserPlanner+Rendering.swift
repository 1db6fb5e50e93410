import APNs
import Configuration
import Policy
import TimeZones

extension UserPlanner {
    /// nil: a push can't hold the row's text and data, or a check-in has no text.
    func filled(_ attempt: PlannedNudge.Values, by nudge: PendingNudge) -> PlannedNudge.Values? {
        switch nudge {
        case .checkIn: checkIn(attempt)
        case .text(let text): self.text(text, attempt)
        }
    }

    private func checkIn(_ attempt: PlannedNudge.Values) -> PlannedNudge.Values? {
        let context = RecipientContext(json: user.context)
        guard let choice = choose(attempt, context) else { return nil }
        let template = choice.text
        let asks = mayAsk
        let counts = template.badgeIncrement > 0
        let said = asks || counts ? template.content(for: context)?.counted(after: attempt) : nil
        var filled = attempt
        filled.members = [attempt.identity]
        filled.unnamedPayload = counts ? said?.payload(passesFocus: false) ?? choice.payload : choice.payload
        filled.template = template.id
        filled.collapseKey = attempt.identity.key
        filled.endsAt = attempt.answer.validUntil
        // A phone that gets its network back at night must not show yesterday's check-in. The policy gives every
        // check-in an end.
        filled.expiresAt = attempt.answer.validUntil ?? now
        filled.text = asks ? said : nil
        filled.badgeIncrement = template.badgeIncrement
        return filled
    }

    /// Without the user's consent, nothing for the service is in the plan.
    private var mayAsk: Bool { planner.asksService && candidate.preferences.smartEnabled }

    /// Chosen once per slot. The user's remaining devices get the same text as the others, while it fits.
    private func choose(_ attempt: PlannedNudge.Values, _ context: RecipientContext) -> CheckInTexts.Choice? {
        guard let slot = attempt.identity.slot else { return nil }
        let texts = planner.checkInTexts
        if attempt.retry?.counts == true, let again = texts.again(user.template, context) { return again }
        let question = CheckInTexts.Question(user: user.userID, slot: slot, last: user.template, context: context)
        planner.recorder?.note(templateOutcomes: texts.templateOutcomes(question))
        return texts.choose(question)
    }

    private func text(_ text: PendingText, _ attempt: PlannedNudge.Values) -> PlannedNudge.Values? {
        let passesFocus = attempt.answer.urgent && candidate.preferences.allowUrgent
        // An update reaches the phone of a user who sleeps, but not its speaker.
        let isUpdate = text.content.surface != nil && !text.content.isWithoutText
        let hearing = isUpdate && !passesFocus ? self.hearing : nil
        let isHeard = !isUpdate || passesFocus || hearing != nil
        let content = (isHeard ? text.content : text.content.silenced).counted(after: attempt)
        guard let payload = content.payload(passesFocus: passesFocus) else { return nil }
        var filled = attempt
        filled.members = text.members
        filled.unnamedPayload = payload
        filled.collapseKey = text.collapseName
        filled.endsAt = text.expiresAt
        // Without an end, Apple keeps it for a day.
        filled.expiresAt = text.expiresAt ?? now + 86_400
        // The service decides only about what a user reads.
        filled.text = mayAsk && !content.isSilent && content.surface == nil ? content : nil
        filled.type = text.content.type
        filled.isSilent = text.nudge.isSilent && content.isWithoutText
        filled.heardUntil = hearing?.validUntil
        filled.badgeIncrement = content.badgeIncrement
        return filled
    }

    /// The answer about a message that could be heard now. nil: quiet hours, a mute or a limit hold it back, or the zone
    /// is unknown.
    private var hearing: Decision? {
        var candidate = candidate
        candidate.nudge = .message(Message(title: "", body: "", urgent: false))
        (candidate.devices, candidate.paused) = (1, false)
        let decision = try? planner.policy.decide(candidate, now: now)
        return decision?.action == .send ? decision : nil
    }
}
