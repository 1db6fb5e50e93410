package import FoundationEssentials
package import Postgres
package import TimeZones

/// Messages or reminders that `nudged after-restore` drops.
package struct DroppedRows: Sendable, Equatable {
    package var count: Int
    /// Users who have at least one of them. For a fan-out: its author.
    package var users: Int = 0
    /// When the first was created (a message) or is due (a reminder; a wall time as if in UTC). Nil: there are none.
    package var oldest: Instant?
    package var newest: Instant?
    package var fanOuts: Int = 0
    /// Reminders beyond `count`: they have a wall time, and the users' zones decide whether it has passed.
    package var perhaps: Int = 0

    /// Adds a page. No user is in two pages.
    package static func += (sum: inout Self, page: Self) {
        sum.count += page.count
        sum.users += page.users
        sum.oldest = [sum.oldest, page.oldest].compactMap(\.self).min()
        sum.newest = [sum.newest, page.newest].compactMap(\.self).max()
        sum.fanOuts += page.fanOuts
        sum.perhaps += page.perhaps
    }
}

extension DroppedRows {
    package init() { self.init(count: 0) }

    /// Reads these columns of the only row: four about messages, six about reminders.
    init(_ rows: Rows, _ columns: Range<Int>) throws(PostgresError) {
        let first = columns.lowerBound
        self.init(
            count: Int(try rows.int8(0, first)),
            users: Int(try rows.int8(0, first + 1)),
            oldest: Instant(nearest: try rows.timestampOrNull(0, first + 2)),
            newest: Instant(nearest: try rows.timestampOrNull(0, first + 3))
        )
        guard columns.count == 6 else { return }
        fanOuts = Int(try rows.int8(0, first + 4))
        perhaps = Int(try rows.int8(0, first + 5))
    }
}

/// A row of `Query.livingDaemons`: a daemon whose lease has not ended.
package struct LivingDaemon: Sendable, Equatable {
    package let id: UUID
    /// Nil: it has written no row of its own yet, or writes none (`run --once`).
    package let host: String?
    package let pid: Int32?
    /// Milliseconds until its lease ends.
    package let leaseMilliseconds: Int64
}

/// After a restore from a backup (`nudged after-restore`). Each call is one short, repeatable transaction.
extension Store {
    /// Takes touches that the backup holds. Returns whether there may be more.
    package func restoreTouches(before now: Instant, limit: Int) async throws(PostgresError) -> Bool {
        let rows = try await one(claims, .restoreTouches, [.timestamp(now.microseconds), .int8(Int64(limit))])
        return try rows.decoded(at: 0) { (taken: Int, isMore: Bool) in taken > 0 || isMore }
    }

    /// Records as unknown what was being sent when the backup was made, if its member's lease has ended.
    package func restoreIntents(limit: Int) async throws(PostgresError) -> Recovery {
        _ = try await declareDead(endedMembers(except: UUID.random()))
        return try await recoverOrphans(limit: limit, reason: "restored")
    }

    /// Closes all slots before `now` of the next users, drops their messages, marks their reminders, and makes these
    /// users due. Returns what it did, and the first user of the next page.
    package func restoreUsers(
        from user: UUID,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (users: Int, messages: DroppedRows, reminders: DroppedRows, next: UUID?) {
        let parameters: [Parameter] = [.timestamp(now.microseconds), .uuid(user), .int8(Int64(limit))]
        let rows = try await one(claims, .restoreUsers, parameters)
        let users = Int(try rows.int8(0, 0))
        return (users, try DroppedRows(rows, 1..<5), try DroppedRows(rows, 5..<11), try rows.uuidOrNull(0, 11))
    }

    // MARK: The dry run. It only reads.

    /// At most a hundred.
    package func livingDaemons() async throws(PostgresError) -> [LivingDaemon] {
        try await one(claims, .livingDaemons, [.int8(100)]).decoded(LivingDaemon.init)
    }

    /// What `restoreUsers` would drop of messages (`restoreMessages`) or mark of reminders (`restoreReminders`), and
    /// the first user of the next page.
    package func restorable(
        _ query: Query,
        from user: UUID,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (dropped: DroppedRows, next: UUID?) {
        let rows = try await one(claims, query, [.uuid(user), .timestamp(now.microseconds), .int8(Int64(limit))])
        let last = rows.columnCount - 1
        return (try DroppedRows(rows, 0..<last), try rows.uuidOrNull(0, last))
    }

    package func restorablePushes() async throws(PostgresError) -> Int {
        Int(try await one(claims, .restoreIntents, []).int8(0, 0))
    }
}
