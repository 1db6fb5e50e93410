import Policy
import TimeZones

extension Judge {
    /// What is left of a check-in when the kill switch falls: the row keeps it until its answer ends, and a resume before that lets it go on. nil where
    /// nothing holds it: then everyone is asked as ever.
    func restPaused(
        _ retry: Retry,
        _ subject: Subject,
        _ draft: inout TurnDraft,
        now: Instant
    ) throws(TimeZoneError) -> Decision? {
        let isOver = retry.validUntil.map { now >= $0 } ?? true
        guard subject.candidate.paused, !isOver, !retry.left.isEmpty else { return nil }
        let decision = try decide(subject.asked(with: draft.history), now: now)
        draft.wait(until: nil, retry: retry)
        return decision
    }

    /// Whether the kill switch holds it: only a resume can change that, so nobody is asked at their devices' own instants, each second in vain.
    func isPaused(_ decision: Decision?) -> Bool { decision?.action == .hold && decision?.reason == .paused }
}
