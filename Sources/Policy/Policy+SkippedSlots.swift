import NudgedPreferences
public import TimeZones

extension Policy {
    /// Slots that have passed unsent since the last evaluation, the earliest first: D is open and ok, and `lastEvaluated` <
    /// limit(D) <= `now`. Empty if check-ins are held. At most the last seven days are searched.
    ///
    /// Each reason is the policy's answer one second before limit(D).
    ///
    /// - Throws: if the zone could not be read now.
    public func skippedSlots(
        _ candidate: Candidate,
        lastEvaluated: Instant,
        now: Instant
    ) throws(TimeZoneError) -> [SkippedSlot] {
        var trace = NoTrace()
        guard lastEvaluated < now, candidate.nudge == .checkIn, holdCheckIn(candidate, &trace) == nil,
            let zone = try zone(of: candidate), let calendar = calendar(candidate, zone, now: now)
        else { return [] }
        let after = max(lastEvaluated, now - 7 * 86_400)
        var skipped: [SkippedSlot] = []
        calendar.visit(limitAfter: after, now: now) { date, earliest in
            let limit = calendar.limit(earliest)
            if limit <= now, calendar.pace.allows(date), calendar.pace.allows(earliest), calendar.isOpen(date, earliest)
            {
                let reason = skipReason(candidate, zone, before: limit)
                skipped.append(SkippedSlot(slot: date, reason: reason, limit: limit))
            }
            return false
        }
        return skipped.reversed()
    }

    /// Only for a candidate whose check-ins are not held.
    private func skipReason(_ candidate: Candidate, _ zone: Zone, before limit: Instant) -> SkippedSlot.Reason {
        let before = limit - 1
        guard let calendar = calendar(candidate, zone, now: before) else { return .stale }
        var trace = NoTrace()
        return switch decideCheckIn(candidate, calendar, now: before, &trace).reason {
        case .quietHours: .quietHours
        case .capped: .capped
        default: .stale
        }
    }
}
