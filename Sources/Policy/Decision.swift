public import JSON
public import TimeZones
import NudgedPreferences

public enum Action: String, Sendable {
    case send
    /// Evaluate again at `nextAt`, not before.
    case wait
    /// Only a change from outside can make it sendable.
    case hold
    /// Never send it. A check-in's slot is closed.
    case drop
}

public enum Reason: String, Sendable, CaseIterable {
    // Send.
    case due
    case urgent
    // Wait.
    case notDue = "not_due"
    case frequency
    case quietHours = "quiet_hours"
    case capped
    case activeConversation = "active_conversation"
    // Wait, or hold for a mute that can't be read.
    case muted
    // Hold.
    case paused
    case notOptedIn = "not_opted_in"
    case preferencesMalformed = "preferences_malformed"
    case firstSessionIncomplete = "first_session_incomplete"
    /// For messages, it may come with `wait` as well.
    case timezoneUnresolved = "timezone_unresolved"
    case dormant
    /// Not the policy's answer: it allows a check-in, but no template fits the user.
    case noText = "no_text"
    /// Not the policy's answer: no lane serves any of the user's devices. Hold, then drop.
    case deviceNotServed = "device_not_served"
    // Hold for check-ins, drop for messages and reminders.
    case disabled
    case noDevice = "no_device"
    // Drop.
    case expired
    case expiresInQuietHours = "expires_in_quiet_hours"
    case expiresWhileCapped = "expires_while_capped"
    case expiresWhileMuted = "expires_while_muted"
    case expiresWithoutTimezone = "expires_without_timezone"
    // Drop of a check-in.
    case active
    case holdout
}

public struct Decision: Sendable, Equatable {
    public var action: Action
    public var reason: Reason
    /// With `wait`: when to evaluate again, later than `now`. Otherwise nil.
    public var nextAt: Instant?
    /// With the `send` or `drop` of a check-in: its local date. Otherwise nil.
    public var slot: LocalDate?
    /// Whether it is an urgent message whose urgency was checked.
    public var urgent: Bool
    /// With `send`: when this answer ends, later than `now`. nil: never, or another action.
    public var validUntil: Instant?

    public init(
        _ action: Action,
        _ reason: Reason,
        nextAt: Instant? = nil,
        slot: LocalDate? = nil,
        urgent: Bool = false,
        validUntil: Instant? = nil
    ) {
        (self.action, self.reason, self.nextAt) = (action, reason, nextAt)
        (self.slot, self.urgent, self.validUntil) = (slot, urgent, validUntil)
    }
}

/// One rule that was checked for a decision.
public struct TraceStep: Sendable, Equatable {
    /// The rule's name, such as `quiet_hours`.
    public let rule: String
    /// `pass`, or the action that the rule decided.
    public let outcome: String
    /// What the rule used: zone, offset, local time, slot, instants, counts. Never a message's text.
    public let facts: JSONObject
}

struct Trace {
    /// Nil: not asked for, so no fact is computed.
    var steps: [TraceStep]?

    @inline(__always)
    mutating func note(_ rule: @autoclosure () -> String, _ outcome: Action?, _ facts: @autoclosure () -> Fields) {
        if steps != nil { record(rule(), outcome, facts()) }
    }

    /// Notes a rule that ends the decision with this answer. nil: it passes.
    @inline(__always)
    mutating func check(_ rule: StaticString, _ end: Decision?, _ facts: @autoclosure () -> Fields = [:]) -> Decision? {
        note("\(rule)", end?.action, facts())
        return end
    }

    private mutating func record(_ rule: String, _ outcome: Action?, _ facts: Fields) {
        steps?.append(TraceStep(rule: rule, outcome: outcome?.rawValue ?? "pass", facts: facts.object))
    }
}

extension Policy {
    func zoneFacts(_ candidate: Candidate, _ zone: Zone? = nil, _ now: Instant? = nil) -> Fields {
        let given: Fields = [
            "preferences": candidate.preferences.timezone, "profile": candidate.timezone,
            "rules": rules.defaultTimezone,
        ]
        guard let zone, let now else { return given + ["zone": nil] }
        return given + ["zone": zone.name, "offset": zone.offset(at: now), "local_time": zone.localTime(at: now).iso]
    }

    func slotFacts(_ candidate: Candidate, _ calendar: CheckInCalendar, _ live: CheckInCalendar.Slot?) -> Fields {
        let slotAt = live.map { calendar.slot($0.date).rfc3339 }
        let limit = live.map { calendar.limit($0.earliest).rfc3339 }
        return [
            "check_in_time": (candidate.preferences.checkInTime ?? rules.checkInTime).description,
            "spread_seconds": calendar.spread, "since": candidate.since?.rfc3339, "slot": live?.date.iso,
            "slot_at": slotAt, "earliest": live?.earliest.rfc3339, "limit": limit,
            "closed": candidate.history.closed.count,
        ]
    }

    func paceFacts(_ pace: Pace, _ date: LocalDate?) -> Fields {
        let count = date.map { pace.count(from: $0 - 6, through: $0) }
        return [
            "frequency": pace.frequency.rawValue, "slot": date?.iso, "last_slot": pace.lastSlot?.iso,
            "last_at": pace.lastAt?.rfc3339, "check_ins_in_7_days": count,
            "anchor": pace.frequency == .weekly ? pace.anchor : nil,
        ]
    }

    func quietFacts(_ quiet: QuietSchedule, isQuiet: Bool, _ now: Instant, _ limit: Instant?) -> Fields {
        [
            "quiet_hours": quiet.hours.description, "quiet": isQuiet,
            "quiet_end": isQuiet ? quiet.quietEnd(now).rfc3339 : nil, "jitter_seconds": quiet.jitter,
            "limit": limit?.rfc3339,
        ]
    }

    func capFacts(_ caps: Caps, _ sent: [Instant], _ now: Instant, _ free: Instant) -> Fields {
        [
            "max_per_hour": caps.perHour, "sent_in_hour": Caps.count(sent, window: 3600, now: now),
            "max_per_day": caps.perDay, "sent_in_day": Caps.count(sent, window: 86_400, now: now),
            "free_at": free.rfc3339,
        ]
    }
}
