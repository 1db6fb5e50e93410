import Policy
package import TimeZones

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
