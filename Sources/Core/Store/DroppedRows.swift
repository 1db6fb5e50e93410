import Postgres
package import TimeZones

/// Messages or reminders that `nudged after-restore` drops.
package struct DroppedRows: Sendable, Equatable {
    package var count: Int
    /// Users who have at least one of them. For a fan-out: its author.
    package var users: Int
    /// When the first was created (a message) or is due (a reminder; a wall time as if in UTC). Nil: there are none.
    package var oldest: Instant?
    package var newest: Instant?
    /// How many of them are fan-outs.
    package var fanOuts: Int
    /// Reminders beyond `count`: they have a wall time, and the users' zones decide whether it has passed.
    package var perhaps: Int

    package init(
        count: Int = 0,
        users: Int = 0,
        oldest: Instant? = nil,
        newest: Instant? = nil,
        fanOuts: Int = 0,
        perhaps: Int = 0
    ) {
        self.count = count
        self.users = users
        self.oldest = oldest
        self.newest = newest
        self.fanOuts = fanOuts
        self.perhaps = perhaps
    }

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
    /// Reads four columns of the only row, from `column` on.
    init(messages rows: Rows, from column: Int) throws(PostgresError) {
        self.init(
            count: Int(try rows.int8(0, column)),
            users: Int(try rows.int8(0, column + 1)),
            oldest: Instant(nearest: try rows.timestampOrNull(0, column + 2)),
            newest: Instant(nearest: try rows.timestampOrNull(0, column + 3))
        )
    }

    /// Reads six columns of the only row, from `column` on.
    init(reminders rows: Rows, from column: Int) throws(PostgresError) {
        try self.init(messages: rows, from: column)
        fanOuts = Int(try rows.int8(0, column + 4))
        perhaps = Int(try rows.int8(0, column + 5))
    }
}
