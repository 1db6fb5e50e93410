public import FoundationEssentials
public import Postgres
public import TimeZones

/// After a restore from backup (`nudged recover`): each call is one short transaction, and doing it twice does no harm.
extension Store {
    /// Takes changes that the backup holds. Returns whether there may be more.
    public func restoreTouches(before now: Instant, limit: Int) async throws(PostgresError) -> Bool {
        let rows = try await one(claims, .restoreTouches, [.timestamp(now.microseconds), .int8(Int64(limit))])
        let taken = try rows.int8(0, 0)
        let isMore = try rows.bool(0, 1)
        return taken > 0 || isMore
    }

    /// Records as unknown what was being sent when the backup was made. Returns the chunks and the pushes.
    public func restoreIntents(limit: Int) async throws(PostgresError) -> (chunks: Int, pushes: Int) {
        // An intent whose lease lives is a running daemon's, which records it itself.
        try await recover(except: [], limit: limit, reason: "restored")
    }

    /// Closes the slots before `now` of the next users, and makes them due. Returns how many, and the first who is left.
    public func restoreUsers(
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
