import Policy
import TimeZones

extension Judge {
    /// The policy's answer; where somebody wants to know why, its trace is kept as well.
    ///
    /// - Parameter text: whose nudge it is; nil: the check-in's.
    func decide(_ candidate: Candidate, of text: PendingText? = nil, now: Instant) throws(TimeZoneError) -> Decision {
        guard let recorder else { return try policy.decide(candidate, now: now) }
        let (decision, trace) = try policy.explain(candidate, now: now)
        recorder.note(
            DecisionRecorder.Entry(
                kind: candidate.nudge.kind,
                key: text?.identity.key,
                members: text?.members.map(\.key) ?? [],
                decision: decision,
                trace: trace
            )
        )
        return decision
    }
}
