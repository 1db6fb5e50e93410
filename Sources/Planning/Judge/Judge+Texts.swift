import Configuration
import Policy
import Store
import TimeZones

/// Messages and reminders: what waits to be said to a user, each asked with those before it counted.
extension Judge {
    func decideTexts(_ subject: Subject, _ draft: inout TurnDraft, now: Instant) throws(TimeZoneError) {
        draft.isPartial = subject.user.hasMoreMessages || subject.user.reminders.isPartial
        let retries = Dictionary(
            subject.retries.filter { $0.identity.kind != .checkIn }.map { ($0.identity, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        if draft.isPartial {
            // What is remembered of those that were not read now.
            let read = Set(
                subject.messages.map(\.identity) + subject.user.reminders.all.map { .reminder($0.id) }
            )
            for retry in retries.values where !retry.identity.isDigest && !read.contains(retry.identity) {
                draft.wait(until: nil, retry: retry)
            }
        }
        let reminders = try reminders(of: subject, retries, &draft, now: now)
        let texts = (subject.messages + reminders).sorted(by: PendingText.precedes)
        var live = collapsed(texts, subject, retries, &draft, now: now)
        // A digest that is not through yet stays one.
        for (identity, retry) in retries where identity.isDigest {
            let names = Set(retry.members)
            let members = live.filter { names.contains($0.identity) && !$0.isExpired(at: now) }
            guard !members.isEmpty else { continue }
            live.removeAll { names.contains($0.identity) && !$0.isExpired(at: now) }
            try decide(PendingText(digestOf: members, named: identity, messages), retry, subject, &draft, now: now)
        }
        let woken = try wokenTogether(live, retries, subject, draft, now: now)
        if woken.count > messages.digestAfter, let first = woken.first {
            let names = Set(woken.map(\.identity))
            live.removeAll { names.contains($0.identity) }
            let digest = PendingText(digestOf: woken, named: .digest(of: first.identity), messages)
            try decide(digest, nil, subject, &draft, now: now)
        }
        for text in live { try decide(text, retries[text.identity], subject, &draft, now: now) }
    }

    /// Of several with one collapse key the newest; the others end.
    private func collapsed(
        _ texts: [PendingText],
        _ subject: Subject,
        _ retries: [NudgeIdentity: Retry],
        _ draft: inout TurnDraft,
        now: Instant
    ) -> [PendingText] {
        var newest: [String: PendingText] = [:]
        for text in texts {
            guard let key = text.collapseKey else { continue }
            if let other = newest[key], other.isNewer(than: text) { continue }
            newest[key] = text
        }
        guard !newest.isEmpty else { return texts }
        return texts.filter { text in
            guard let key = text.collapseKey, newest[key]?.identity != text.identity else { return true }
            drop(text.members, retries[text.identity], Self.collapsedReason, subject, &draft, now: now)
            return false
        }
    }

    /// Ends without another push: what was tried already counts, the rest was never sent.
    func drop(
        _ members: [NudgeIdentity],
        _ retry: Retry?,
        _ reason: String,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) {
        if let retry, retry.counts {
            draft.records += subject.stale(retry, reason: reason, now: now)
        } else {
            draft.records += subject.records(members, .dropped, reason: reason, at: now)
        }
        draft.end(members)
    }

    private static let collapsedReason = "collapsed"
    private static let malformedReason = "payload_malformed"

    /// Those that waited for the end of quiet hours and would all go now.
    private func wokenTogether(
        _ live: [PendingText],
        _ retries: [NudgeIdentity: Retry],
        _ subject: Subject,
        _ draft: TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> [PendingText] {
        guard live.count > messages.digestAfter else { return [] }
        var woken: [PendingText] = []
        for text in live where text.identity.kind == .message && retries[text.identity] == nil {
            guard try policy.isQuiet(subject.candidate, at: text.createdAt) else { continue }
            // A look ahead: each is decided for itself below, or within the digest.
            let decision = try policy.decide(subject.asked(text.nudge, with: draft.history), now: now)
            if decision.action == .send, !decision.urgent { woken.append(text) }
        }
        return woken
    }

    private func decide(
        _ text: PendingText,
        _ retry: Retry?,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) {
        // A lane that this daemon does not have may come back: the app's words are not thrown away for our configuration.
        if subject.served.isEmpty, subject.hasForeignDevices, !text.isExpired(at: now) {
            return draft.wait(until: text.expiresAt, retry: retry)
        }
        guard let retry else { return try first(text, subject, &draft, now: now) }
        let (left, ends) = subject.judged(retry)
        draft.records += ends
        // Every device was finally rejected, the last ones by quarantine.
        if left.isEmpty, !ends.isEmpty { return draft.end(text.members) }
        let rest = retry.keeping(left)
        if let countedAt = rest.countedAt {
            try goOn(text, rest, countedAt, subject, &draft, now: now)
        } else {
            try tryAgain(text, rest, subject, &draft, now: now)
        }
    }

    /// Nothing is left of an earlier try.
    private func first(
        _ text: PendingText,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) {
        let decision = try decide(subject.asked(text.nudge, with: draft.history), of: text, now: now)
        guard decision.action == .send else { return keep(text, nil, decision, subject, &draft, now: now) }
        send(text, decision, subject.targets(subject.served, of: text.identity), nil, [], subject, &draft, now: now)
    }

    /// No device was answered: the policy is asked anew, and only the back-off is remembered.
    private func tryAgain(
        _ text: PendingText,
        _ retry: Retry,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) {
        let left = subject.split(retry.left, now: now)
        // Devices that are all new since then owe nothing to the back-off of the old ones.
        guard !(left.due.isEmpty && left.waiting.isEmpty) else { return try first(text, subject, &draft, now: now) }
        let decision = try decide(subject.asked(text.nudge, with: draft.history), of: text, now: now)
        guard decision.action == .send else { return keep(text, retry, decision, subject, &draft, now: now) }
        guard !left.due.isEmpty else {
            let rest = retry.keeping(left.waiting)
            return draft.wait(until: rest.dueAt, retry: rest)
        }
        let targets = subject.targets(left.due, of: text.identity)
        send(text, decision, targets, retry, left.waiting, subject, &draft, now: now)
    }

    /// Some device was answered, or may have been: the others go on under the first answer until that ends or something changed, and are then asked
    /// without the nudge's own entry.
    private func goOn(
        _ text: PendingText,
        _ retry: Retry,
        _ countedAt: Instant,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) {
        let left = subject.split(retry.left, now: now)
        // The devices that were left are gone.
        guard !(left.due.isEmpty && left.waiting.isEmpty) else { return draft.end(text.members) }
        let without = draft.history.removing(text.identity, at: countedAt)
        var decision = try decide(subject.asked(text.nudge, with: without), of: text, now: now)
        let isOver = retry.validUntil.map { now >= $0 } ?? false
        // The first answer is no leave to go past the kill switch: what is left is kept for a resume.
        if !isOver, isPaused(decision) { return keep(text, retry, decision, subject, &draft, now: now) }
        if isOver || retry.version.changes != subject.user.version.changes {
            switch decision.action {
            case .send: break
            case .drop:
                draft.records += subject.stale(retry, reason: decision.reason.rawValue, now: now)
                return draft.end(text.members)
            case .wait, .hold: return keep(text, retry, decision, subject, &draft, now: now)
            }
        } else {
            decision = Decision(.send, decision.reason, urgent: decision.urgent, validUntil: retry.validUntil)
        }
        guard !left.due.isEmpty else {
            let rest = retry.keeping(left.waiting)
            return draft.wait(until: rest.dueAt, retry: rest)
        }
        let targets = subject.targets(left.due, of: text.identity, repeating: retry.left.repeats)
        send(text, decision, targets, retry, left.waiting, subject, &draft, now: now)
    }

    /// It does not go now: it waits, with what is remembered of it, or it ends.
    private func keep(
        _ text: PendingText,
        _ retry: Retry?,
        _ decision: Decision,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) {
        switch decision.action {
        case .drop:
            draft.records += subject.records(text.members, .dropped, reason: decision.reason.rawValue, at: now)
            draft.end(text.members)
        case .wait: draft.wait(until: decision.nextAt, retry: retry)
        // Only an outside change can make it sendable, which makes the user due; but its own end is an answer as well.
        case .hold, .send: draft.wait(until: text.expiresAt, retry: retry)
        }
    }

    private func send(
        _ text: PendingText,
        _ decision: Decision,
        _ targets: [PlannedNudge.Target],
        _ retry: Retry?,
        _ waiting: [Retry.Left],
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) {
        let passesFocus = decision.urgent && subject.candidate.preferences.allowUrgent
        guard let payload = text.content.payload(passesFocus: passesFocus) else {
            draft.records += subject.records(text.members, .dropped, reason: Self.malformedReason, at: now)
            return draft.end(text.members)
        }
        draft.send(
            PlannedNudge(
                identity: text.identity,
                members: text.members,
                payload: payload,
                template: nil,
                collapseKey: text.collapseName,
                validUntil: decision.validUntil,
                endsAt: text.expiresAt,
                expiresAt: text.expiration(now: now),
                targets: targets,
                waiting: waiting,
                isFirst: retry == nil,
                attempt: retry?.attempt ?? 0,
                countedAt: retry?.countedAt,
                content: asksService ? text.content : nil,
                isUrgent: decision.urgent
            ),
            now: now
        )
    }
}
