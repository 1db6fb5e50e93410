import Policy
import Store
import TimeZones

/// Reminders: hours that were asked for. From their hour on they are decided like messages.
extension Judge {
    /// Those that are to be asked. The others are through with it: what does not live any more, or may have been sent before a backup was restored, ends here;
    /// a wall time that is in no zone waits for one.
    func reminders(
        of subject: Subject,
        _ retries: [NudgeIdentity: Retry],
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> [PendingText] {
        draft.wait(until: subject.user.reminders.wakesAt)
        var texts: [PendingText] = []
        for reminder in subject.user.reminders.all {
            let identity = NudgeIdentity.reminder(reminder.id)
            guard !reminder.isCancelled else {
                drop([identity], retries[identity], Self.cancelledReason, subject, &draft, now: now)
                continue
            }
            let hours = try ReminderHours(reminder, of: subject.candidate, policy)
            guard let due = hours.due else {
                hold(identity, retries[identity], &draft)
                continue
            }
            if due <= now, let next = try hours.next(for: subject.user.userID, now: now) {
                draft.continue(identity, with: next)
            }
            if let restoredAt = reminder.restoredAt, due < restoredAt {
                drop([identity], retries[identity], Self.restoredReason, subject, &draft, now: now)
                continue
            }
            texts.append(PendingText(reminder, due: due, now: now))
        }
        return texts
    }

    private static let cancelledReason = "cancelled"
    private static let restoredReason = "restored"

    /// Only a zone can make it sendable, and a change of the profile makes the user due.
    private func hold(_ identity: NudgeIdentity, _ retry: Retry?, _ draft: inout TurnDraft) {
        recorder?.note(
            DecisionRecorder.Entry(
                kind: identity.kind,
                key: identity.key,
                members: [identity.key],
                decision: Decision(.hold, .timezoneUnresolved),
                trace: []
            )
        )
        draft.wait(until: nil, retry: retry)
    }
}
