import NudgedKit
public import TimeZones

extension Policy {
    /// Slots that went by unsent since the user was last asked, earliest first: D open and ok against the history,
    /// `lastAsked` < limit(D) <= `now`. Looks back at most seven days. None where check-ins are held.
    ///
    /// Each reason is the policy's own answer one second before limit(D).
    ///
    /// - Throws: `unreadable` where the zone could not be read now.
    public func skippedSlots(
        _ candidate: Candidate,
        lastAsked: Instant,
        now: Instant
    ) throws(TimeZoneError) -> [SkippedSlot] {
        var trace = NoTrace()
        guard lastAsked < now, candidate.nudge == .checkIn, holdCheckIn(candidate, &trace) == nil,
            let zone = try zone(of: candidate), let calendar = calendar(candidate, zone, now: now)
        else { return [] }
        let after = max(lastAsked, now - 7 * 86_400)
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

    /// Of a candidate whose check-ins are not held.
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
