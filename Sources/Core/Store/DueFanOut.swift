import Postgres

package import struct FoundationEssentials.UUID

/// A fan-out that is due: a reminder for everyone, before it becomes one row per member.
package struct DueFanOut: Sendable, Equatable {
    package let reminder: PendingReminder
    /// The last member who has a row; nil: none.
    package var after: UUID?
    /// The text of the author's preferences; nil: they are null, or the profile is missing.
    package var preferences: String?
    package var timezone: String?
}

extension DueFanOut {
    /// Reads a row of `Query.dueFanOuts`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        var reminder = try PendingReminder(rows, row)
        reminder.isCancelled = try !rows.bool(row, 24)
        self.init(reminder: reminder, after: try rows.uuidOrNull(row, 23))
    }

    /// The same fan-out, after this member; nil: before its first.
    package func after(_ member: UUID?) -> DueFanOut {
        var next = self
        next.after = member
        return next
    }

    package func continued(by next: ReminderContinuation) -> DueFanOut {
        DueFanOut(reminder: reminder.continued(by: next), preferences: preferences, timezone: timezone)
    }
}

package enum FanOutStep: Sendable, Equatable {
    /// Another daemon has it locked, or the app is setting, cancelling or snoozing the reminder.
    case held
    /// So many members got a row, this one as the last. More may follow.
    case told(Int, last: UUID)
    /// So many members got a row, and none is left.
    case finished(Int)
}

/// A position in a walk over `nudged.reminder`. The walk goes on after it.
package struct ReminderPlace: Sendable, Equatable {
    let author: UUID
    let subjectType: String
    let subjectID: String

    /// Before all reminders.
    package static let start = ReminderPlace(author: Store.firstUser, subjectType: "", subjectID: "")
}
