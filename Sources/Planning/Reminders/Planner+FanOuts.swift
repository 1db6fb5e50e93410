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
