import Base
import JSON
import NudgedPreferences
public import TimeZones

extension Policy {
    func decideCheckIn(_ candidate: Candidate, now: Instant, _ trace: inout Trace) throws(TimeZoneError) -> Decision {
        if let held = holdCheckIn(candidate, &trace) { return held }
        guard let zone = try zone(of: candidate) else {
            trace.note("zone", .hold, zoneFacts(candidate))
            return Decision(.hold, .timezoneUnresolved)
        }
        trace.note("zone", nil, zoneFacts(candidate, zone, now))
        // Preferences that are neither null nor malformed have a frequency.
        guard let calendar = calendar(candidate, zone, now: now) else { return Decision(.hold, .preferencesMalformed) }
        return decide(candidate, calendar, now: now, &trace)
    }

    /// nil: the preferences have no frequency.
    func calendar(_ candidate: Candidate, _ zone: Zone, now: Instant) -> CheckInCalendar? {
        let preferences = candidate.preferences
        guard let frequency = frequency(of: candidate) else { return nil }
        let clock = LocalClock(zone, near: now)
        let minutes = preferences.checkInTime == nil ? UInt64(rules.spreadMinutes) : 0
        // Hashes are computed only if something depends on them.
        let spread = minutes == 0 ? 0 : FNV1a(candidate.userID).adding(":spread") % (minutes * 60)
        var anchor = preferences.weekday ?? 1
        if preferences.weekday == nil, frequency == .weekly { anchor = 1 + Int(FNV1a(candidate.userID).value % 7) }
        return CheckInCalendar(
            clock: clock,
            quiet: quietSchedule(of: candidate, clock),
            time: (preferences.checkInTime ?? rules.checkInTime).seconds,
            spread: Int64(spread),
            staleness: Int64(rules.maxStalenessMinutes) * 60,
            since: candidate.since,
            closed: ClosedSlots(candidate.history.closed),
            pace: Pace(frequency, anchor: anchor, candidate.history.checkIns, now: now)
        )
    }

    /// The frequency after the back-off, which goes down the ladder. nil: none is left, or the preferences have none.
    private func frequency(of candidate: Candidate) -> Frequency? {
        let chosen = candidate.preferences.frequency
        guard let after = rules.backOffAfter, candidate.ignored >= after, let chosen else { return chosen }
        let ladder = Frequency.allCases.drop { $0 != chosen }.dropFirst(Int(clamping: candidate.ignored / after))
        return ladder.first
    }

    /// The holds that are checked before the zone.
    func holdCheckIn(_ candidate: Candidate, _ trace: inout Trace) -> Decision? {
        let preferences = candidate.preferences
        func hold(_ isHeld: Bool, _ reason: Reason) -> Decision? { isHeld ? Decision(.hold, reason) : nil }
        if let held = trace.check("paused", hold(candidate.paused, .paused)) { return held }
        if let held = trace.check("opted_in", hold(preferences.isNull, .notOptedIn)) { return held }
        if let cause = preferences.malformed {
            return trace.check("preferences", hold(true, .preferencesMalformed), ["cause": cause])
        }
        trace.note("preferences", nil, [:])
        if let held = trace.check("enabled", hold(preferences.checkInsEnabled == false, .disabled)) { return held }
        if let after = rules.backOffAfter {
            let dormant = hold(preferences.frequency != nil && frequency(of: candidate) == nil, .dormant)
            trace.note("back_off", dormant?.action, ["ignored": candidate.ignored, "back_off_after": after])
            if let dormant { return dormant }
        }
        let isIncomplete = !candidate.firstSessionComplete
        if let held = trace.check("first_session", hold(isIncomplete, .firstSessionIncomplete)) { return held }
        return trace.check("devices", hold(candidate.devices == 0, .noDevice), ["devices": candidate.devices])
    }

    /// Rules 1 to 5 of docs/POLICY-SPEC.md, "Check-ins".
    func decide(_ candidate: Candidate, _ calendar: CheckInCalendar, now: Instant, _ trace: inout Trace) -> Decision {
        var latestLive: CheckInCalendar.Slot?
        var chosen: CheckInCalendar.Slot?
        calendar.visit(limitAfter: now, now: now) { date, earliest in
            guard calendar.isOpen(date, earliest) else { return false }
            if latestLive == nil { latestLive = (date, earliest) }
            guard calendar.pace.allows(date), calendar.pace.allows(earliest) else { return false }
            chosen = (date, earliest)
            return true
        }
        trace.note("slot", latestLive == nil ? .wait : nil, slotFacts(candidate, calendar, latestLive))
        guard latestLive != nil else { return next(.notDue, calendar, now, &trace) }
        trace.note("frequency", chosen == nil ? .wait : nil, paceFacts(calendar.pace, chosen?.date ?? latestLive?.date))
        guard let chosen else { return next(.frequency, calendar, now, &trace) }
        let limit = calendar.limit(chosen.earliest)
        /// Until then, or for the next slot if this one ends before.
        func wait(_ reason: Reason, until awake: Instant) -> Decision {
            guard awake < limit else { return next(reason, calendar, now, &trace) }
            return Decision(.wait, reason, nextAt: awake)
        }
        let applied = AppliedQuiet(from: Instant(seconds: .min), quiet: calendar.quiet)
        if let mutedUntil = candidate.preferences.mutedUntil.map(Instant.init) {
            let isMuted = now < mutedUntil
            trace.note("muted", isMuted ? .wait : nil, ["muted_until": mutedUntil.rfc3339, "limit": limit.rfc3339])
            if isMuted { return wait(.muted, until: applied.awake(mutedUntil, limit: limit)) }
        }
        if let quiet = calendar.quiet {
            let isQuiet = quiet.isQuiet(now)
            trace.note("quiet_hours", isQuiet ? .wait : nil, quietFacts(quiet, isQuiet: isQuiet, now, limit))
            if isQuiet { return wait(.quietHours, until: quiet.wakeUp(from: now, limit: limit)) }
        } else {
            trace.note("quiet_hours", nil, ["quiet_hours": nil])
        }
        let caps = Caps(rules, candidate.preferences)
        let free = caps.free(from: now, candidate.history.sent)
        trace.note("caps", free > now ? .wait : nil, capFacts(caps, candidate.history.sent, now, free))
        if free > now { return wait(.capped, until: applied.awake(free, limit: limit)) }
        if let percent = rules.holdoutPercent {
            let isHeldOut = FNV1a(candidate.userID).adding(":holdout") % 100 < UInt64(percent)
            trace.note("holdout", isHeldOut ? .drop : nil, ["percent": percent])
            if isHeldOut { return Decision(.drop, .holdout, slot: chosen.date) }
        }
        if let minutes = rules.skipIfActiveMinutes, let seen = candidate.seen {
            let isActive = now - seen < minutes * 60
            trace.note("active", isActive ? .drop : nil, ["seen": seen.rfc3339, "minutes": minutes])
            if isActive { return Decision(.drop, .active, slot: chosen.date) }
        }
        let quietAgain = calendar.quiet?.nextStart(after: now)
        let validUntil = quietAgain.map { min($0, limit) } ?? limit
        trace.note("send", .send, ["slot": chosen.date.iso, "limit": limit.rfc3339, "next_quiet": quietAgain?.rfc3339])
        return Decision(.send, .due, slot: chosen.date, validUntil: validUntil)
    }

    private func next(_ reason: Reason, _ calendar: CheckInCalendar, _ now: Instant, _ trace: inout Trace) -> Decision {
        let next = calendar.next(after: now)
        trace.note("next", .wait, ["slot": next.date.iso, "at": next.earliest.rfc3339])
        return Decision(.wait, reason, nextAt: next.earliest)
    }

    /// Slots that have passed unsent since the last evaluation, the earliest first: D is open and ok, and
    /// `lastEvaluated` < limit(D) <= `now`. Empty if check-ins are held. At most the last seven days are searched.
    ///
    /// Each reason is the policy's answer one second before limit(D).
    public func skippedSlots(
        _ candidate: Candidate,
        lastEvaluated: Instant,
        now: Instant
    ) throws(TimeZoneError) -> [SkippedSlot] {
        var trace = Trace()
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
    private func skipReason(_ candidate: Candidate, _ zone: Zone, before limit: Instant) -> String {
        let before = limit - 1
        guard let calendar = calendar(candidate, zone, now: before) else { return "stale" }
        var trace = Trace()
        var candidate = candidate
        if let seen = candidate.seen, seen > before { candidate.seen = nil }
        let reason = decide(candidate, calendar, now: before, &trace).reason
        return switch reason {
        case .capped, .quietHours, .muted, .active, .holdout: reason.rawValue
        default: "stale"
        }
    }
}

/// A slot of a check-in that passed unsent.
public struct SkippedSlot: Sendable, Hashable {
    public let slot: LocalDate
    /// The answer just before the slot's end. `stale`: the user was not evaluated in time, or a later slot was used.
    public let reason: String
    /// When the slot ended: limit(D).
    public let limit: Instant
}
