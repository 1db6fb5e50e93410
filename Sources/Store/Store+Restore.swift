package import FoundationEssentials
package import Postgres
package import TimeZones

/// After a restore from a backup (`nudged recover`). Each call is one short transaction. Repeated, it does no harm.
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
        _ = try await buryNow(except: UUID.random())
        return try await recoverOrphans(limit: limit, reason: "restored")
    }

    /// Closes all slots before `now` of the next users, and makes these users due. Returns how many, and the first user
    /// of the next page.
    package func restoreUsers(
        from user: UUID,
        now: Instant,
        limit: Int
    ) async throws(PostgresError) -> (users: Int, next: UUID?) {
        let rows = try await one(
            claims,
            .restoreUsers,
            [.timestamp(now.microseconds), .uuid(user), .int8(Int64(limit))]
        )
        return (Int(try rows.int8(0, 0)), try rows.uuidOrNull(0, 1))
    }
}
