import Policy
package import TimeZones

import struct FoundationEssentials.UUID

extension Planner {
    /// Decides about a reminder for everyone that may be fanned out now.
    package func decide(_ fanOut: DueFanOut, now: Instant) throws(TimeZoneError) -> FanOutDecision {
        let reminder = fanOut.reminder
        if reminder.isCancelled { return .drop }
        let (id, preferences) = (reminder.authorID, parsed(fanOut.preferences))
        let author = Candidate(userID: id, preferences: preferences, timezone: fanOut.timezone, nudge: .checkIn)
        let hours = try ReminderHours(reminder, of: author, policy)
        if reminder.timezone != nil, let due = hours.due, due > now { return .wait(until: due) }
        return .tell(next: try hours.next(for: reminder.authorID, isFanOut: true, now: now))
    }
}

/// What to do with a reminder for everyone.
package enum FanOutDecision: Sendable, Equatable {
    /// It was cancelled or replaced.
    case drop
    /// A wall time in one zone for all: fan it out at that instant.
    case wait(until: Instant)
    /// Fan it out now: with each recipient's own zone, before the first zone reaches the time. `next` follows.
    case tell(next: ReminderContinuation?)
}

/// When a reminder is due, and the next one of its series, in the zone that counts for it.
struct ReminderHours {
    private let reminder: PendingReminder
    private let zone: Zone?
    private let zones: ZoneDatabase

    /// The reminder's own zone, else the candidate's. An unknown name is no zone: in another, the instant would differ.
    init(_ reminder: PendingReminder, of candidate: Candidate, _ policy: Policy) throws(TimeZoneError) {
        self.reminder = reminder
        zones = policy.zones
        if let name = reminder.timezone {
            zone = try policy.zones.zone(named: name)
        } else {
            zone = try policy.zone(of: candidate)
        }
    }

    /// When it is due. nil: a wall time without a zone.
    var due: Instant? {
        switch reminder.due {
        case .at(let instant): instant
        case .local(let time): zone?.resolve(time, .first)
        }
    }

    /// The next occurrence. nil: none. Those up to `now` are skipped, but count. `isFanOut`: it is for everyone.
    func next(for user: UUID, isFanOut: Bool = false, now: Instant) throws(TimeZoneError) -> ReminderContinuation? {
        guard let series = reminder.series, let rule = Recurrence(parsing: series.rule) else { return nil }
        // Without a zone, a series of instants is computed in UTC.
        let utc = zone == nil ? try zones.zone(named: "UTC") : nil
        guard let clock = zone ?? utc else { return nil }
        let first =
            switch series.first {
            case .at(let instant): clock.localTime(at: instant)
            case .local(let time): time
            }
        let planned = series.planned ?? first
        let last = max(now, clock.resolve(planned, .first))
        let place = Recurrence.Occurrence(number: series.number, time: planned)
        guard let (next, instant) = rule.next(after: place, start: first, in: clock, later: last) else { return nil }
        // All recipients get it at the same instant if its series starts with an instant, or if it has a zone.
        let startsAtInstant = if case .at = series.first { true } else { false }
        let isInstant = zone == nil || isFanOut && (startsAtInstant || reminder.timezone != nil)
        return ReminderContinuation(
            userID: user,
            id: reminder.id,
            number: next.number,
            first: isInstant ? series.first : .local(first),
            planned: next.time,
            due: isInstant ? .at(instant) : .local(next.time),
            instant: instant
        )
    }
}
