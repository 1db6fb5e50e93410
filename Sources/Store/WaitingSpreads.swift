package import struct FoundationEssentials.UUID
import Postgres
package import TimeZones

/// Reminders for everyone whose hour came a minute ago or more, and that are not told to all yet: a view that fails, or a subject with very many members.
package struct WaitingSpreads: Sendable, Equatable {
    /// How many; no count goes beyond `WorkStanding.most`.
    package let count: Int
    /// Since when the first of them could be told.
    package let first: Instant
    /// The first one's reminder.
    package let reminderID: UUID
    /// What that is about: the kind of thing.
    package let subjectType: String
    /// What that is about: which of them.
    package let subjectID: String

    package init(count: Int, first: Instant, reminderID: UUID, subjectType: String, subjectID: String) {
        self.count = count
        self.first = first
        self.reminderID = reminderID
        self.subjectType = subjectType
        self.subjectID = subjectID
    }

    /// Reads the answer of `waiting_spreads.sql`; nil: there are none.
    init?(_ rows: Rows) throws(PostgresError) {
        guard rows.count > 0 else { return nil }
        self.init(
            count: Int(try rows.int8(0, 0)),
            first: Instant(nearest: try rows.reachableTimestampOrNull(0, 1)) ?? Instant(seconds: 0),
            reminderID: try rows.uuid(0, 2),
            subjectType: try rows.text(0, 3),
            subjectID: try rows.text(0, 4)
        )
    }
}
