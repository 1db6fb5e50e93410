import Policy
import TimeZones

extension Judge {
    /// What is left of a nudge when the kill switch falls: the row keeps it until its answer ends, and a resume before that lets it go on. nil where
    /// nothing holds it: then everyone is asked as ever.
    func restPaused(_ retry: Retry, _ subject: Subject, now: Instant) throws(TimeZoneError) -> Judgement.Verdict? {
        guard subject.candidate.paused, now < retry.validUntil, !retry.left.isEmpty else { return nil }
        let decision = try decide(subject.candidate, now: now)
        guard case .rest(var update, let reason) = rest(subject, decision, now: now, retry: retry) else { return nil }
        // Not at the devices' own instants: each second would ask a question whose answer is known.
        let recheck = dueAt(subject.user.userID, decision, retry: nil, now: now, soon: subject.hasForeignDevices)
        update.dueAt = min(recheck, max(retry.validUntil, now + 1))
        return .rest(update, reason)
    }
}
