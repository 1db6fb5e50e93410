package import struct FoundationEssentials.UUID
import Postgres

/// A fan-out that is due: a reminder for everyone, before it becomes one row per member.
package struct DueFanOut: Sendable, Equatable {
    /// The author's row.
    package let reminder: PendingReminder
    /// The last member who has a row; nil: none.
    package let after: UUID?
    /// The text of the author's preferences; nil: they are null, or the profile is missing.
    package let preferences: String?
    /// The zone in the author's profile.
    package let timezone: String?

    package init(reminder: PendingReminder, after: UUID? = nil, preferences: String? = nil, timezone: String? = nil) {
        self.reminder = reminder
        self.after = after
        self.preferences = preferences
        self.timezone = timezone
    }

    /// Reads a row of `Query.dueFanOuts`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        var reminder = try PendingReminder(rows, row)
        reminder.isCancelled = try !rows.bool(row, 24)
        self.init(reminder: reminder, after: try rows.uuidOrNull(row, 23))
    }

    /// The same fan-out, before its first member.
    package var fromTheFirst: DueFanOut { DueFanOut(reminder: reminder, preferences: preferences, timezone: timezone) }

    /// The same fan-out, after this member.
    package func after(_ member: UUID) -> DueFanOut {
        DueFanOut(reminder: reminder, after: member, preferences: preferences, timezone: timezone)
    }

    /// The next fan-out of the series.
    package func continued(by next: ReminderContinuation) -> DueFanOut {
        DueFanOut(reminder: reminder.continued(by: next), preferences: preferences, timezone: timezone)
    }

    /// The same fan-out with its author's profile.
    func by(preferences: String?, timezone: String?) -> DueFanOut {
        DueFanOut(reminder: reminder, after: after, preferences: preferences, timezone: timezone)
    }
}
