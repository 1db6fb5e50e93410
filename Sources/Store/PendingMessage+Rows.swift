import FoundationEssentials
import Postgres
import TimeZones

extension PendingMessage {
    /// Columns of `claim_messages.sql`; `claim_messages_bounded.sql` has one more: how many wait.
    static let columns = 13

    /// Reads a row of `claim_messages.sql`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        let created = try rows.reachableTimestampOrNull(row, 2)
        self.init(
            id: try rows.uuid(row, 1),
            createdAt: Instant(nearest: created) ?? Instant(seconds: 0),
            order: created,
            title: try rows.text(row, 3),
            body: try rows.text(row, 4),
            data: try rows.textOrNull(row, 5),
            conversationID: try rows.textOrNull(row, 6),
            domain: try rows.textOrNull(row, 7),
            urgent: try rows.boolOrNull(row, 8) ?? false,
            category: try rows.textOrNull(row, 9),
            threadID: try rows.textOrNull(row, 10),
            collapseKey: try rows.textOrNull(row, 11),
            expiresAt: Instant(nearest: try rows.reachableTimestampOrNull(row, 12))
        )
    }
}
