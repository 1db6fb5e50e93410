package import struct FoundationEssentials.UUID
import Postgres

/// A reminder for everyone that is to become one row per member.
package struct DueSpread: Sendable, Equatable {
    /// What is spread: the author's row.
    package let reminder: PendingReminder
    /// The last member who has theirs; nil: nobody has.
    package let after: UUID?
    /// The author's preferences, as they are; nil where they are null or the profile is gone.
    package let preferences: String?
    /// The author's own zone.
    package let timezone: String?

    package init(reminder: PendingReminder, after: UUID? = nil, preferences: String? = nil, timezone: String? = nil) {
        self.reminder = reminder
        self.after = after
        self.preferences = preferences
        self.timezone = timezone
    }

    /// Reads a row of `due_spreads.sql`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        var reminder = try PendingReminder(rows, row)
        reminder.isCancelled = try !rows.bool(row, 20)
        self.init(reminder: reminder, after: try rows.uuidOrNull(row, 19))
    }

    /// The same, before anybody has theirs.
    package var fromTheFirst: DueSpread { DueSpread(reminder: reminder, preferences: preferences, timezone: timezone) }

    /// The same, once everyone up to this member has theirs.
    package func after(_ member: UUID) -> DueSpread {
        DueSpread(reminder: reminder, after: member, preferences: preferences, timezone: timezone)
    }

    /// The next of its series.
    package func continued(by next: ReminderContinuation) -> DueSpread {
        DueSpread(reminder: reminder.continued(by: next), preferences: preferences, timezone: timezone)
    }

    /// The same with its author's profile.
    func by(preferences: String?, timezone: String?) -> DueSpread {
        DueSpread(reminder: reminder, after: after, preferences: preferences, timezone: timezone)
    }
}
