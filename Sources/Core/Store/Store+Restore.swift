package import FoundationEssentials
package import Postgres
package import TimeZones

/// After a restore from a backup (`nudged after-restore`). Each call is one short transaction. Repeated, it does no
/// harm.
extension Store {
    /// Takes touches that the backup holds. Returns whether there may be more.
    package func restoreTouches(before now: Instant, limit: Int) async throws(PostgresError) -> Bool {
        let rows = try await one(claims, .restoreTouches, [.timestamp(now.microseconds), .int8(Int64(limit))])
        let taken = try rows.int8(0, 0)
        let isMore = try rows.bool(0, 1)
        return taken > 0 || isMore
    }

    /// Records as unknown what was being sent when the backup was made, for members whose lease has ended. A running
    /// daemon records its own.
    package func restoreIntents(limit: Int) async throws(PostgresError) -> Recovery {
        _ = try await declareDeadNow(except: UUID.random())
        return try await recoverOrphans(limit: limit, reason: "restored")
    }

    /// The result of one page of users.
    package struct RestoredPage: Sendable {
        package let users: Int
        package let messages: DroppedRows
        package let reminders: DroppedRows
        /// The first user of the next page; nil: this was the last.
        package let next: UUID?
    }

    /// Closes all slots before `now` of the next users, drops their messages, marks their reminders, and makes these
    /// users due.
    package func restoreUsers(
        from user: UUID,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> RestoredPage {
        let rows = try await one(
            claims,
            .restoreUsers,
            [.timestamp(now.microseconds), .uuid(user), .int8(Int64(limit))]
        )
        return RestoredPage(
            users: Int(try rows.int8(0, 0)),
            messages: try DroppedRows(messages: rows, from: 1),
            reminders: try DroppedRows(reminders: rows, from: 5),
            next: try rows.uuidOrNull(0, 11)
        )
    }

    // MARK: The dry run. It only reads.

    /// At most a hundred.
    package func livingDaemons() async throws(PostgresError) -> [LivingDaemon] {
        let rows = try await one(claims, .livingDaemons, [.int8(100)])
        var daemons: [LivingDaemon] = []
        for row in 0..<rows.count {
            daemons.append(
                LivingDaemon(
                    id: try rows.uuid(row, 0),
                    host: try rows.textOrNull(row, 1),
                    pid: try rows.int4OrNull(row, 2),
                    leaseMilliseconds: try rows.int8(row, 3)
                )
            )
        }
        return daemons
    }

    /// The messages of the next users that `restoreUsers` would drop, and the first user of the next page.
    package func restorableMessages(
        from user: UUID,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (dropped: DroppedRows, next: UUID?) {
        let rows = try await one(
            claims,
            .restoreMessages,
            [.uuid(user), .timestamp(now.microseconds), .int8(Int64(limit))]
        )
        return (try DroppedRows(messages: rows, from: 0), try rows.uuidOrNull(0, 4))
    }

    /// The reminders of the next users that `restoreUsers` would mark, and the first user of the next page.
    package func restorableReminders(
        from user: UUID,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (dropped: DroppedRows, next: UUID?) {
        let rows = try await one(
            claims,
            .restoreReminders,
            [.uuid(user), .timestamp(now.microseconds), .int8(Int64(limit))]
        )
        return (try DroppedRows(reminders: rows, from: 0), try rows.uuidOrNull(0, 6))
    }

    /// The pushes that `restoreIntents` would record as unknown.
    package func restorablePushes() async throws(PostgresError) -> Int {
        Int(try await one(claims, .restoreIntents, []).int8(0, 0))
    }

    /// Counts users whose rows `restoreTouches` would make. Returns how many, and the first user of the next page.
    package func countNewcomers(from user: UUID, limit: Int) async throws(PostgresError) -> (users: Int, next: UUID?) {
        let rows = try await one(claims, .restoreNewcomers, [.uuid(user), .int8(Int64(limit))])
        return (Int(try rows.int8(0, 0)), try rows.uuidOrNull(0, 1))
    }
}
