package import struct FoundationEssentials.UUID
import Postgres
package import TimeZones

/// Fan-outs that could have been due a minute ago or earlier, and are not finished. Either the view fails, or a subject
/// has very many members.
package struct WaitingFanOuts: Sendable, Equatable {
    /// Counted up to `WorkStatus.most`.
    package let count: Int
    /// When the first of them could be due.
    package let first: Instant
    /// The reminder of the first of them.
    package let reminderID: UUID
    /// The kind of thing that it is about.
    package let subjectType: String
    /// The id of what it is about.
    package let subjectID: String

    package init(count: Int, first: Instant, reminderID: UUID, subjectType: String, subjectID: String) {
        self.count = count
        self.first = first
        self.reminderID = reminderID
        self.subjectType = subjectType
        self.subjectID = subjectID
    }

    /// Reads the row of `Query.waitingFanOuts`; nil: there is none.
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
