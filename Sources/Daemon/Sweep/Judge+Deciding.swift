import Policy
import TimeZones

extension Judge {
    /// The policy's answer; where somebody wants to know why, its trace is kept as well.
    func decide(_ candidate: Candidate, now: Instant) throws(TimeZoneError) -> Decision {
        guard let recorder else { return try policy.decide(candidate, now: now) }
        let (decision, trace) = try policy.explain(candidate, now: now)
        recorder.note(candidate, decision, trace)
        return decision
    }
}
