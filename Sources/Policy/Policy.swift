import Base
import NudgedPreferences
public import TimeZones

/// Decides when a nudge may be sent, by docs/POLICY-SPEC.md. It is pure: it reads no clock and no database, and of the
/// environment only the time zones.
public struct Policy: Sendable {
    public let rules: Rules
    public let zones: ZoneDatabase

    public init(rules: Rules, zones: ZoneDatabase) { (self.rules, self.zones) = (rules, zones) }

    /// - Throws: if the zone could not be read now. No other zone may be used instead.
    public func decide(_ candidate: Candidate, now: Instant) throws(TimeZoneError) -> Decision {
        var trace = Trace()
        return try decide(candidate, now: now, &trace)
    }

    /// The same decision, with the rules in the order in which they were checked.
    public func explain(_ candidate: Candidate, now: Instant) throws(TimeZoneError) -> (Decision, [TraceStep]) {
        var trace = Trace(steps: [])
        return (try decide(candidate, now: now, &trace), trace.steps ?? [])
    }

    private func decide(_ candidate: Candidate, now: Instant, _ trace: inout Trace) throws(TimeZoneError) -> Decision {
        switch candidate.nudge {
        case .checkIn: try decideCheckIn(candidate, now: now, &trace)
        case .message, .reminder: try decideText(candidate, now: now, &trace)
        }
    }

    /// The first valid zone of the preferences, the profile and the rules. It throws if a zone can't be read now: that
    /// one may be valid, so the next one must not be used.
    public func zone(of candidate: Candidate) throws(TimeZoneError) -> Zone? {
        if let zone = candidate.zone { return zone }
        if let name = candidate.preferences.timezone, let zone = try zones.zone(named: name) { return zone }
        if let name = candidate.timezone, let zone = try zones.zone(named: name) { return zone }
        guard let name = rules.defaultTimezone else { return nil }
        return try zones.zone(named: name)
    }

    /// The user's quiet hours, or else the rules'. nil: none.
    func quietHours(of candidate: Candidate) -> QuietWeek? {
        let preferences = candidate.preferences
        return QuietWeek(preferences.quietHours ?? rules.quietHours, byDay: preferences.quietHoursByDay)
    }

    /// The quiet hours on a zone's clock, with the user's quiet jitter. nil: none.
    func quietSchedule(of candidate: Candidate, _ clock: LocalClock) -> QuietSchedule? {
        guard let hours = quietHours(of: candidate) else { return nil }
        let minutes = UInt64(rules.quietEndJitterMinutes)
        // The hash is computed only if the rule is set: it takes a tenth of a decision's time.
        let jitter = minutes == 0 ? 0 : Int64(FNV1a(candidate.userID).adding(":quiet") % (minutes * 60))
        return QuietSchedule(hours, clock, jitter: jitter)
    }

    /// A fingerprint of everything that sets `since`. Equal values have equal fingerprints in every version of the
    /// daemon. It is FNV-1a with 64 bits over the UTF-8 of
    /// `1;<opted>;<enabled>;<frequency>;<minutes>;<weekday>;<zone>;<first session>;<device>`. Absent values are `-`, as
    /// are the four after opted unless it is `ok`. A Boolean is 0 or 1, a weekday its ISO number. Other values are as
    /// in the preferences. Fingerprints are stored, so no spelling may change.
    public func scheduleFingerprint(_ candidate: Candidate) throws(TimeZoneError) -> Int64 {
        let preferences = candidate.preferences
        let isOpted = !preferences.isNull && preferences.malformed == nil
        var hash = FNV1a()
        func add(_ text: String?) {
            hash.add((text ?? "-").utf8)
            hash.add(UInt8(ascii: ";"))
        }
        add("1")
        add(preferences.isNull ? "null" : isOpted ? "ok" : "malformed")
        add(isOpted ? preferences.checkInsEnabled.map { $0 ? "1" : "0" } : nil)
        add(isOpted ? preferences.frequency?.rawValue : nil)
        add(isOpted ? preferences.checkInTime.map { String($0.minutes) } : nil)
        add(isOpted ? preferences.weekday.map { String($0) } : nil)
        add(try zone(of: candidate)?.name)
        add(candidate.firstSessionComplete ? "1" : "0")
        hash.add(UInt8(ascii: candidate.devices > 0 ? "1" : "0"))
        return Int64(bitPattern: hash.value)
    }
}
