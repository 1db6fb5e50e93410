import Policy
package import TimeZones

import struct FoundationEssentials.UUID

/// Reminders. From their time on they are decided like messages.
extension Planner {
    /// The reminders to evaluate. Cancelled ones end here, and so do those that may have been sent before a backup was
    /// restored. A wall time without a zone is held.
    func reminders(_ machine: RetryMachine, _ draft: inout PlanDraft) throws(TimeZoneError) -> [PendingText] {
        let (recipient, now) = (machine.recipient, machine.now)
        draft.wait(until: recipient.user.reminders.wakesAt)
        var texts: [PendingText] = []
        for reminder in recipient.user.reminders.all {
            let identity = NudgeIdentity.reminder(reminder.id)
            guard !reminder.isCancelled else {
                drop(identity, because: "cancelled", machine, &draft)
                continue
            }
            let hours = try ReminderHours(reminder, of: recipient.candidate, policy)
            guard let due = hours.due else {
                hold(identity, Decision(.hold, .timezoneUnresolved), recipient.retries[identity], &draft)
                continue
            }
            // Devices that are left must not keep the next one from the others.
            let counts = recipient.retries[identity]?.counts ?? false
            if due <= now, let next = try hours.next(for: recipient.user.userID, now: counts ? due : now) {
                draft.continue(identity, with: next)
                guard next.instant > now else {
                    drop(identity, because: "collapsed", machine, &draft)
                    continue
                }
            }
            if let restoredAt = reminder.restoredAt, due < restoredAt {
                drop(identity, because: "restored", machine, &draft)
                continue
            }
            texts.append(PendingText(reminder, due: due, now: now))
        }
        return texts
    }

    /// A change of the profile makes the user due.
    func hold(_ identity: NudgeIdentity, _ decision: Decision, _ retry: Retry?, _ draft: inout PlanDraft) {
        recorder?.note(
            DecisionRecorder.Entry(
                kind: identity.kind,
                key: identity.key,
                members: [identity.key],
                decision: decision,
                trace: []
            )
        )
        draft.wait(until: nil, retry: retry)
    }
}

extension Planner {
    /// Decides about a reminder for everyone that may be fanned out now.
    ///
    /// - Throws: if the author's zone could not be read now.
    package func decide(_ fanOut: DueFanOut, now: Instant) throws(TimeZoneError) -> FanOutDecision {
        let reminder = fanOut.reminder
        if reminder.isCancelled { return .drop }
        let author = Candidate(
            userID: reminder.authorID,
            preferences: parsed(fanOut.preferences),
            timezone: fanOut.timezone,
            nudge: .checkIn
        )
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
    /// Fan it out now. Where each recipient's own zone counts, rows are made before the first zone reaches the time.
    /// `next` follows it.
    case tell(next: ReminderContinuation?)
}

/// When a reminder is due, and the next one of its series, in the zone that counts for it.
struct ReminderHours {
    private let reminder: PendingReminder
    /// nil: no zone is known.
    private let zone: Zone?
    private let zones: ZoneDatabase

    /// Uses the reminder's own zone if it has one, else the user's. A name that this host doesn't know counts as no
    /// zone: in another zone, the time would be another instant.
    ///
    /// - Parameter candidate: the recipient. For a fan-out, the author.
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

    /// The next occurrence. nil: none.
    ///
    /// - Parameters:
    ///   - isFanOut: whether it is a reminder for everyone.
    ///   - now: occurrences up to this instant are skipped, but count.
    func next(for user: UUID, isFanOut: Bool = false, now: Instant) throws(TimeZoneError) -> ReminderContinuation? {
        guard let series = reminder.series, let rule = Recurrence(parsing: series.rule) else { return nil }
        // Without a zone, a series of instants is computed in UTC.
        let utc = zone == nil ? try zones.zone(named: "UTC") : nil
        guard let clock = zone ?? utc else { return nil }
        let first = Self.wallTime(series.first, clock)
        let planned = series.planned ?? first
        let last = max(now, clock.resolve(planned, .first))
        let place = Recurrence.Occurrence(number: series.number, time: planned)
        guard let (next, instant) = rule.next(after: place, start: first, in: clock, later: last) else { return nil }
        let isInstant = zone == nil || isFanOut && isEveryonesInstant(series)
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

    /// Whether all recipients get it at the same instant: its series starts with an instant, or it has a zone.
    private func isEveryonesInstant(_ series: PendingReminder.Series) -> Bool {
        if case .at = series.first { return true }
        return reminder.timezone != nil
    }

    private static func wallTime(_ hour: PendingReminder.Due, _ zone: Zone) -> LocalDateTime {
        switch hour {
        case .at(let instant): zone.localDateTime(at: instant)
        case .local(let time): time
        }
    }
}
