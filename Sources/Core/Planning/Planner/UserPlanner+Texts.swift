import APNs
import Configuration
import Policy
import TimeZones

/// Plans messages and reminders one by one, so that each counts for the next ones. Renders all pushes.
extension UserPlanner {
    mutating func planTexts() throws(TimeZoneError) {
        draft.isPartial = user.hasMoreMessages || user.reminders.isPartial
        if draft.isPartial { keepUnread() }
        draft.wait(until: user.messagesWakeAt)
        for message in unplacedMessages { holdUnplaced(message) }
        let texts = (messages + (try reminders())).sorted(by: PendingText.precedes)
        var live = collapsed(withoutWithdrawn(texts))
        // A digest that was begun stays a digest.
        for (identity, retry) in retries where identity.isDigest {
            let names = Set(retry.members)
            let members = live.filter { names.contains($0.identity) && !$0.isExpired(at: now) }
            guard !members.isEmpty else { continue }
            live.removeAll { names.contains($0.identity) && !$0.isExpired(at: now) }
            try plan(PendingText(digestOf: members, named: identity, planner.messages))
        }
        let woken = try wokenTogether(live)
        if woken.count > planner.messages.digestAfter, let first = woken.first {
            let names = Set(woken.map(\.identity))
            live.removeAll { names.contains($0.identity) }
            try plan(PendingText(digestOf: woken, named: .digest(of: first.identity), planner.messages))
        }
        for text in live { try plan(text) }
    }

    private mutating func plan(_ one: PendingText) throws(TimeZoneError) { try plan(.text(one), retries[one.identity]) }

    /// Only a zone can make it sendable. It ends when it expires, or a day after its time has come in every zone.
    private mutating func holdUnplaced(_ message: PendingMessage) {
        let text = PendingText(message, due: message.due?.latest, now: now)
        let answer =
            if text.isExpired(at: now) {
                Decision(.drop, .expired)
            } else if isPaused(.message) {
                Decision(.hold, .paused)
            } else {
                Policy.withoutZone(text.nudge, now: now)
            }
        if answer.action == .drop { return drop(text.identity, because: answer.reason.rawValue) }
        hold(text.identity, answer)
        draft.wait(until: answer.nextAt ?? message.expiresAt)
    }

    /// Keeps what is left of texts that were not read now.
    private mutating func keepUnread() {
        let messages = user.messages.map { NudgeIdentity.message($0.id) }
        let read = Set(messages + user.reminders.all.map { NudgeIdentity.reminder($0.id) })
        for retry in retries.values
        where retry.identity.kind != .checkIn && !retry.identity.isDigest && !read.contains(retry.identity) {
            draft.wait(until: nil, retry: retry)
        }
    }

    /// Ends what a waiting message takes off the screen: no other device gets it.
    private mutating func withoutWithdrawn(_ texts: [PendingText]) -> [PendingText] {
        let withdrawn = Set(texts.compactMap { $0.content.withdraws })
        guard !withdrawn.isEmpty else { return texts }
        if let retry = checkInRetry, retry.counts, withdrawn.contains(retry.identity.key) {
            drop(retry.identity, because: "withdrawn")
        }
        return dropping(texts, because: "withdrawn") { withdrawn.contains($0.identity.key) }
    }

    private mutating func dropping(_ texts: [PendingText], because reason: String, where isOver: (PendingText) -> Bool)
        -> [PendingText]
    {
        for text in texts where isOver(text) { drop(text.identity, because: reason) }
        return texts.filter { !isOver($0) }
    }

    /// Of several with the same collapse key, keeps the newest. The others end.
    private mutating func collapsed(_ texts: [PendingText]) -> [PendingText] {
        var newest: [ExactText: PendingText] = [:]
        for text in texts {
            for key in text.replacedKeys.map(ExactText.init) {
                if let other = newest[key], other.isNewer(than: text) { continue }
                newest[key] = text
            }
        }
        guard !newest.isEmpty else { return texts }
        return dropping(texts, because: "collapsed") { text in
            text.collapseKey.map { newest[ExactText($0)]?.identity != text.identity } ?? false
        }
    }

    /// Messages that waited for the end of quiet hours and could all be sent now.
    private func wokenTogether(_ live: [PendingText]) throws(TimeZoneError) -> [PendingText] {
        guard live.count > planner.messages.digestAfter else { return [] }
        var woken: [PendingText] = []
        for text in live where text.identity.kind == .message && retries[text.identity] == nil {
            guard !text.content.isShownAlone else { continue }
            guard try planner.policy.isQuiet(candidate, at: text.createdAt) else { continue }
            // A preview. Each message is evaluated again later, alone or in the digest.
            let asked = candidate(for: .text(text), with: draft.history)
            let decision = try planner.policy.decide(asked, now: now)
            if decision.action == .send, !decision.urgent { woken.append(text) }
        }
        return woken
    }

    // MARK: Reminders

    /// The reminders to evaluate. From their time on they are decided like messages. Cancelled ones end here, and so do
    /// those that may have been sent before a backup was restored. A wall time without a zone is held.
    mutating func reminders() throws(TimeZoneError) -> [PendingText] {
        draft.wait(until: user.reminders.wakesAt)
        var texts: [PendingText] = []
        for reminder in user.reminders.all {
            let identity = NudgeIdentity.reminder(reminder.id)
            guard !reminder.isCancelled else {
                drop(identity, because: "cancelled")
                continue
            }
            let hours = try ReminderHours(reminder, of: candidate, planner.policy)
            guard let due = hours.due else {
                hold(identity, Decision(.hold, .timezoneUnresolved))
                continue
            }
            // Devices that are left must not keep the next one from the others.
            let counts = retries[identity]?.counts ?? false
            if due <= now, let next = try hours.next(for: user.userID, now: counts ? due : now) {
                draft.continuations[identity] = next
                draft.wait(until: next.instant)
                guard next.instant > now else {
                    drop(identity, because: "collapsed")
                    continue
                }
            }
            if let restoredAt = reminder.restoredAt, due < restoredAt {
                drop(identity, because: "restored")
                continue
            }
            texts.append(PendingText(reminder, due: due, now: now))
        }
        return texts
    }

    /// A change of the profile makes the user due.
    mutating func hold(_ identity: NudgeIdentity, _ decision: Decision) {
        let key = identity.key
        planner.recorder?.note(.init(kind: identity.kind, key: key, members: [key], decision: decision))
        draft.wait(until: nil, retry: retries[identity])
    }

    // MARK: What a nudge's pushes contain

    /// False: a push can't hold the row's text and data, or a check-in has no text.
    func fill(_ attempt: inout PlannedNudge.Values, by nudge: PendingNudge) -> Bool {
        switch nudge {
        case .checkIn: fill(&attempt)
        case .text(let text): fill(&attempt, with: text)
        }
    }

    private func fill(_ attempt: inout PlannedNudge.Values) -> Bool {
        let context = RecipientContext(json: user.context)
        guard let choice = choose(attempt, context) else { return false }
        let template = choice.text
        let asks = mayAsk
        let counts = template.badgeIncrement > 0
        let said = asks || counts ? template.content(for: context)?.counted(after: attempt) : nil
        attempt.members = [attempt.identity]
        attempt.unnamedPayload = counts ? said?.payload(passesFocus: false) ?? choice.payload : choice.payload
        attempt.template = template.id
        attempt.collapseKey = attempt.identity.key
        attempt.endsAt = attempt.answer.validUntil
        // A phone back online at night must not show yesterday's check-in. The policy ends every check-in.
        attempt.expiresAt = attempt.answer.validUntil ?? now
        attempt.text = asks ? said : nil
        attempt.badgeIncrement = template.badgeIncrement
        return true
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

    private func fill(_ attempt: inout PlannedNudge.Values, with text: PendingText) -> Bool {
        let passesFocus = attempt.answer.urgent && candidate.preferences.allowUrgent
        // An update reaches the phone of a user who sleeps, but not its speaker.
        let isUpdate = text.content.surface != nil && !text.content.isWithoutText
        let hearing = isUpdate && !passesFocus ? self.hearing : nil
        let isHeard = !isUpdate || passesFocus || hearing != nil
        let content = (isHeard ? text.content : text.content.silenced).counted(after: attempt)
        guard let payload = content.payload(passesFocus: passesFocus) else { return false }
        attempt.members = text.members
        attempt.unnamedPayload = payload
        attempt.collapseKey = text.collapseName
        attempt.endsAt = text.expiresAt
        // If the text has no end, Apple keeps the push for a day.
        attempt.expiresAt = text.expiresAt ?? now + 86_400
        // The service decides only about what a user reads.
        attempt.text = mayAsk && !content.isSilent && content.surface == nil ? content : nil
        attempt.type = text.content.type
        attempt.isSilent = text.nudge.isSilent && content.isWithoutText
        attempt.heardUntil = hearing?.validUntil
        attempt.badgeIncrement = content.badgeIncrement
        return true
    }

    /// The answer about a message that could be heard. nil: quiet hours, a mute, a limit, or an unknown zone.
    private var hearing: Decision? {
        var candidate = candidate
        candidate.nudge = .message(Message(title: "", body: "", urgent: false))
        (candidate.devices, candidate.paused) = (1, false)
        let decision = try? planner.policy.decide(candidate, now: now)
        return decision?.action == .send ? decision : nil
    }
}
