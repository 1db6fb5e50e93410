import Configuration
import Policy
import TimeZones

/// Plans messages and reminders. Each is evaluated with those before it counted.
extension Planner {
    func planTexts(_ machine: RetryMachine, _ draft: inout PlanDraft) throws(TimeZoneError) {
        let (recipient, now) = (machine.recipient, machine.now)
        draft.isPartial = recipient.user.hasMoreMessages || recipient.user.reminders.isPartial
        if draft.isPartial { keepUnread(recipient, &draft) }
        draft.wait(until: recipient.user.messagesWakeAt)
        for message in recipient.unplacedMessages { holdUnplaced(message, machine, &draft) }
        let texts = (recipient.messages + (try reminders(machine, &draft))).sorted(by: PendingText.precedes)
        var live = collapsed(withoutWithdrawn(texts, machine, &draft), machine, &draft)
        // A digest that was begun stays a digest.
        for (identity, retry) in recipient.retries where identity.isDigest {
            let names = Set(retry.members)
            let members = live.filter { names.contains($0.identity) && !$0.isExpired(at: now) }
            guard !members.isEmpty else { continue }
            live.removeAll { names.contains($0.identity) && !$0.isExpired(at: now) }
            try planText(PendingText(digestOf: members, named: identity, messages), machine, &draft)
        }
        let woken = try wokenTogether(live, machine, draft)
        if woken.count > messages.digestAfter, let first = woken.first {
            let names = Set(woken.map(\.identity))
            live.removeAll { names.contains($0.identity) }
            try planText(PendingText(digestOf: woken, named: .digest(of: first.identity), messages), machine, &draft)
        }
        for text in live { try planText(text, machine, &draft) }
    }

    private func planText(
        _ text: PendingText,
        _ machine: RetryMachine,
        _ draft: inout PlanDraft
    ) throws(TimeZoneError) {
        try plan(.text(text), machine.recipient.retries[text.identity], machine, &draft)
    }

    /// Only a zone can make it sendable. It ends when it expires, or a day after its time has come in every zone.
    private func holdUnplaced(_ message: PendingMessage, _ machine: RetryMachine, _ draft: inout PlanDraft) {
        let text = PendingText(message, due: message.due?.latest, now: machine.now)
        let answer =
            if text.isExpired(at: machine.now) {
                Decision(.drop, .expired)
            } else if machine.recipient.isPaused(.message) {
                Decision(.hold, .paused)
            } else {
                Policy.withoutZone(text.nudge, now: machine.now)
            }
        if answer.action == .drop {
            return drop(text.identity, because: answer.reason.rawValue, machine, &draft)
        }
        hold(text.identity, answer, machine.recipient.retries[text.identity], &draft)
        draft.wait(until: answer.nextAt ?? message.expiresAt)
    }

    /// Keeps what is left of texts that were not read now.
    private func keepUnread(_ recipient: Recipient, _ draft: inout PlanDraft) {
        let messages = recipient.user.messages.map { NudgeIdentity.message($0.id) }
        let read = Set(messages + recipient.user.reminders.all.map { NudgeIdentity.reminder($0.id) })
        for retry in recipient.retries.values
        where retry.identity.kind != .checkIn && !retry.identity.isDigest && !read.contains(retry.identity) {
            draft.wait(until: nil, retry: retry)
        }
    }

    /// Ends what a waiting message takes off the screen: no other device gets it.
    private func withoutWithdrawn(
        _ texts: [PendingText],
        _ machine: RetryMachine,
        _ draft: inout PlanDraft
    ) -> [PendingText] {
        let withdrawn = Set(texts.compactMap(\.content.withdraws))
        guard !withdrawn.isEmpty else { return texts }
        if let retry = machine.recipient.checkInRetry, retry.counts, withdrawn.contains(retry.identity.key) {
            drop(retry.identity, because: Self.withdrawn, machine, &draft)
        }
        return texts.filter { text in
            guard withdrawn.contains(text.identity.key) else { return true }
            drop(text.identity, because: Self.withdrawn, machine, &draft)
            return false
        }
    }

    private static let withdrawn = "withdrawn"

    /// Of several with the same collapse key, keeps the newest. The others end.
    private func collapsed(
        _ texts: [PendingText],
        _ machine: RetryMachine,
        _ draft: inout PlanDraft
    ) -> [PendingText] {
        var newest: [ExactText: PendingText] = [:]
        for text in texts {
            for key in text.replacedKeys.map(ExactText.init) {
                if let other = newest[key], other.isNewer(than: text) { continue }
                newest[key] = text
            }
        }
        guard !newest.isEmpty else { return texts }
        return texts.filter { text in
            guard let key = text.collapseKey.map(ExactText.init), newest[key]?.identity != text.identity else {
                return true
            }
            drop(text.identity, because: "collapsed", machine, &draft)
            return false
        }
    }

    /// Ends a nudge without evaluating it.
    func drop(_ identity: NudgeIdentity, because reason: String, _ machine: RetryMachine, _ draft: inout PlanDraft) {
        draft.records += machine.ended([identity], machine.recipient.retries[identity], reason)
        draft.end([identity])
    }

    /// Messages that waited for the end of quiet hours and could all be sent now.
    private func wokenTogether(
        _ live: [PendingText],
        _ machine: RetryMachine,
        _ draft: PlanDraft
    ) throws(TimeZoneError) -> [PendingText] {
        guard live.count > messages.digestAfter else { return [] }
        let recipient = machine.recipient
        var woken: [PendingText] = []
        for text in live where text.identity.kind == .message && recipient.retries[text.identity] == nil {
            guard !text.content.isShownAlone else { continue }
            guard try policy.isQuiet(recipient.candidate, at: text.createdAt) else { continue }
            // A preview. Each message is evaluated again later, alone or in the digest.
            let candidate = recipient.candidate(for: .text(text), with: draft.history)
            let decision = try policy.decide(candidate, now: machine.now)
            if decision.action == .send, !decision.urgent { woken.append(text) }
        }
        return woken
    }
}
