import NudgedKit
public import TimeZones

/// The pure decision function of docs/POLICY.md: when a nudge may be sent. It reads no clock, no database and no environment but the zones.
public struct Policy: Sendable {
    /// The operator's rules.
    public let rules: Rules
    /// The system's time zones.
    public let zones: ZoneDatabase

    /// A policy.
    public init(rules: Rules, zones: ZoneDatabase) {
        self.rules = rules
        self.zones = zones
    }

    /// The decision for a candidate at an instant.
    ///
    /// - Throws: `unreadable` where the zone that it depends on could not be read now: nothing else may be decided with in its place.
    public func decide(_ candidate: Candidate, now: Instant) throws(TimeZoneError) -> Decision {
        var trace = NoTrace()
        return try decide(candidate, now: now, &trace)
    }

    /// The same decision with the rules in the order in which they were asked.
    ///
    /// - Throws: as `decide`.
    public func explain(
        _ candidate: Candidate,
        now: Instant
    ) throws(TimeZoneError) -> (decision: Decision, trace: [TraceStep]) {
        var trace = RecordedTrace()
        let decision = try decide(candidate, now: now, &trace)
        return (decision, trace.steps)
    }

    private func decide(
        _ candidate: Candidate,
        now: Instant,
        _ trace: inout some DecisionTrace
    ) throws(TimeZoneError) -> Decision {
        switch candidate.nudge {
        case .checkIn: try decideCheckIn(candidate, now: now, &trace)
        case .message(let message): try decideMessage(candidate, message, now: now, &trace)
        case .reminder(let reminder): try decideReminder(candidate, reminder, now: now, &trace)
        }
    }

    /// The first valid name among the preferences', the profile's and the rules'. One that can't be read now may be valid, so the next is not asked.
    public func zone(of candidate: Candidate) throws(TimeZoneError) -> Zone? {
        if let name = candidate.preferences.timezone, let zone = try zones.zone(named: name) { return zone }
        if let name = candidate.timezone, let zone = try zones.zone(named: name) { return zone }
        guard let name = rules.defaultTimezone else { return nil }
        return try zones.zone(named: name)
    }

    /// The quiet hours that the user set, else the rules'; nil where there are none.
    func quietHours(of candidate: Candidate) -> QuietHours? {
        guard let hours = candidate.preferences.quietHours ?? rules.quietHours, !hours.isNone else { return nil }
        return hours
    }

    /// Quiet hours in force on a zone's clock, with the user's jitter.
    func wakeUp(of candidate: Candidate, _ clock: LocalClock) -> WakeUp? {
        guard let hours = quietHours(of: candidate), let quiet = QuietSchedule(hours, clock) else { return nil }
        let minutes = UInt64(rules.quietEndJitterMinutes)
        // The hash is asked for where the rule is set only: it costs a tenth of a decision.
        let jitter = minutes == 0 ? 0 : Int64(FNV1a(candidate.userID).adding(":quiet") % (minutes * 60))
        return WakeUp(quiet: quiet, jitter: jitter)
    }
}
