import Policy
import TimeZones

/// Reminders. From their time on they are decided like messages.
extension Planner {
    /// The reminders to evaluate. Cancelled ones end here, and so do those that may have been sent before a backup was
    /// restored. A wall time without a zone is held.
    func reminders(_ machine: RetryMachine, _ draft: inout PlanDraft) throws(TimeZoneError) -> [PendingText] {
        let (recipient, now) = (machine.recipient, machine.now)
        draft.wait(until: recipient.user.reminders.wakesAt)
        var texts: [PendingText] = []
        for reminder in recipient.user.reminders.all {
            let identity = NudgeIdentity.reminder(reminder.id)
            guard !reminder.isCancelled else {
                drop(identity, because: "cancelled", machine, &draft)
                continue
            }
            let hours = try ReminderHours(reminder, of: recipient.candidate, policy)
            guard let due = hours.due else {
                hold(identity, recipient.retries[identity], &draft)
                continue
            }
            if due <= now, let next = try hours.next(for: recipient.user.userID, now: now) {
                draft.continue(identity, with: next)
            }
            if let restoredAt = reminder.restoredAt, due < restoredAt {
                drop(identity, because: "restored", machine, &draft)
                continue
            }
            texts.append(PendingText(reminder, due: due, now: now))
        }
        return texts
    }

    /// Only a zone can make it sendable. A change of the profile makes the user due.
    func hold(_ identity: NudgeIdentity, _ retry: Retry?, _ draft: inout PlanDraft) {
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
