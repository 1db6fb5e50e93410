import Policy
package import Store
package import TimeZones

extension Planner {
    /// - Throws: `unreadable` where its author's zone could not be read now.
    package func decide(_ spread: DueSpread, now: Instant) throws(TimeZoneError) -> FanOutDecision {
        let reminder = spread.reminder
        if reminder.isCancelled { return .drop }
        let author = Candidate(
            userID: reminder.authorID,
            preferences: parsed(spread.preferences),
            timezone: spread.timezone,
            nudge: .checkIn
        )
        let hours = try ReminderHours(reminder, of: author, policy)
        if reminder.timezone != nil, let due = hours.due, due > now { return .wait(until: due) }
        return .tell(next: try hours.next(for: reminder.authorID, isSpread: true, now: now))
    }
}

/// What is to be done with a reminder for everyone whose hour came.
package enum FanOutDecision: Sendable, Equatable {
    /// It does not live any more.
    case drop
    /// A wall time in one zone for all: it comes at that instant.
    case wait(until: Instant)
    /// Everyone is told, in the zones where their wall time comes first long before it does; then this comes after it.
    case tell(next: ReminderContinuation?)
}
