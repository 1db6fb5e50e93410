import FoundationEssentials
import Postgres
import TimeZones

extension PendingReminder {
    /// Reads a row of `claim_reminders.sql` or `due_spreads.sql`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        func instant(_ column: Int) throws(PostgresError) -> Instant? {
            Instant(nearest: try rows.reachableTimestampOrNull(row, column))
        }
        func due(_ at: Int, _ local: Int) throws(PostgresError) -> Due {
            if let time = try instant(local) { return .local(LocalDateTime(asUTC: time)) }
            // One of the two is there (a check of the table's).
            return .at(try instant(at) ?? Instant(seconds: 0))
        }
        var series: Series?
        if let rule = try rows.textOrNull(row, 12) {
            series = Series(
                rule: rule,
                number: Int(try rows.int4(row, 13)),
                first: try due(14, 15),
                planned: try instant(16).map(LocalDateTime.init(asUTC:))
            )
        }
        self.init(
            id: try rows.uuid(row, 1),
            reminderID: try rows.uuid(row, 2),
            authorID: try rows.uuid(row, 3),
            subjectType: try rows.text(row, 4),
            subjectID: try rows.text(row, 5),
            title: try rows.text(row, 6),
            body: try rows.text(row, 7),
            due: try due(8, 9),
            timezone: try rows.textOrNull(row, 10),
            isOwn: try rows.boolOrNull(row, 11) ?? false,
            series: series,
            restoredAt: try instant(17),
            wakesAt: try instant(18)
        )
    }
}
