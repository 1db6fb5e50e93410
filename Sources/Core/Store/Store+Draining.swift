package import FoundationEssentials
package import Postgres
package import TimeZones

/// A user who is not to be due until an instant.
package struct Postponement: Sendable {
    let userID: UUID
    let version: Int64?
    package let until: Instant
}

extension Store {
    /// Sets when users are due. Users whose rows are locked stay due.
    package func postpone(_ postponements: [Postponement], member: UUID) async throws(PostgresError) {
        try await bisecting(
            // In the order of user_id, like all writers that wait for locks, to avoid deadlocks with commands.
            postponements.sorted { $0.userID < $1.userID },
            parting: (database: intents, user: { $0.userID }),
            refused: { (one, error) in skip(Refusal(one.userID, error)) },
            work: { (postponements, patience) async throws(PostgresError) in
                let postpone = Query.postpone([
                    .uuidArray(postponements.map(\.userID)), .int8Array(postponements.map(\.version)),
                    .timestampArray(postponements.map(\.until.microseconds)),
                ])
                _ = try await transaction(intents, holding: member, [postpone], patience)
            }
        )
    }

    // MARK: Changes to the app's data: nudged.touched

    /// How many touches are read at once, at least: one user may have very many.
    private static let touchesAtOnce = 20_000
    /// Users with more touches than this are drained after the others, each alone.
    private static let touchesOfOne = 100

    /// A user's touches that were read, by their ids.
    private typealias Touches = (user: UUID, ids: [Int64])

    /// Makes users due whose data changed. The oldest changes come first, urgent ones before them.
    ///
    /// - Parameters:
    ///   - onChanged: called with users whose data changed, before their touches are taken.
    ///   - onRefused: called for users whose touches can't be taken. They are left for a while.
    /// - Returns: touches taken. Fewer than `limit`: none is left in these ranges, except those of refused users.
    package func drain(
        member: UUID,
        ranges: [Int32],
        limit: Int,
        now: Instant,
        onChanged: @Sendable ([UUID]) -> Void = { _ in },
        onRefused: (Refusal) -> Void = { _ in }
    ) async throws(PostgresError) -> Int {
        // The drain also reads the app's views, for users who have no row in nudged.person.
        func take(_ users: [Touches], _ patience: Patience) async throws(PostgresError) -> Int {
            let all = users.flatMap { one in one.ids.map { (one.user, $0) } }
            let drain = Query.drain([.uuidArray(all.map(\.0)), .int8Array(all.map(\.1)), .timestamp(now.microseconds)])
            return Int(try await transaction(claims, holding: member, [drain], patience)[0].int8(0, 0))
        }
        var taken = 0
        while taken < limit, !ranges.isEmpty {
            let wanted = limit - taken
            let most = max(wanted, Self.touchesAtOnce)
            let found = try await touches(ranges, limit: most, users: wanted)
            onChanged(found.changed)
            let users = found.users.prefix(wanted)
            let few = users.filter { $0.ids.count <= Self.touchesOfOne }
            for part in [few] + users.filter({ $0.ids.count > Self.touchesOfOne }).map({ [$0] }) {
                try await bisecting(
                    part,
                    parting: (database: claims, user: { $0.user }),
                    probe: { () async throws(PostgresError) in _ = try await take([], .searching) },
                    refused: { (one, error) in
                        skip(Refusal(one.user, error))
                        onRefused(Refusal(one.user, error))
                    },
                    work: { (users, patience) async throws(PostgresError) in taken += try await take(users, patience) }
                )
            }
            if found.touches < most, found.users.count <= wanted { break }
        }
        return taken
    }

    /// The oldest touches by their users, and those users whose data changed.
    private func touches(
        _ ranges: [Int32],
        limit: Int,
        users wanted: Int
    ) async throws(PostgresError) -> (touches: Int, users: [Touches], changed: [UUID]) {
        let asked = Claiming.now()
        let (start, skipped) = claiming.with { ($0.touches.start(at: asked), $0.aside.skipped(at: asked)) }
        let parameters: [Parameter] = [.int4Array(ranges), .int8(start), .int8(Int64(limit)), .uuidArray(skipped)]
        let rows = try await one(claims, .touches, parameters)
        var place: [UUID: Int] = [:]
        var users: [Touches] = []
        var changed: [UUID] = []
        var ids: (first: Int64, last: Int64)?
        for row in 0..<rows.count {
            let id = try rows.int8(row, 0)
            ids = (min(ids?.first ?? id, id), max(ids?.last ?? id, id))
            let user = try rows.uuid(row, 1)
            if try !rows.bool(row, 3) { changed.append(user) }
            if let known = place[user] {
                users[known].ids.append(id)
            } else {
                place[user] = users.count
                users.append((user, [id]))
            }
        }
        let isFull = rows.count >= limit || users.count > wanted
        claiming.with {
            $0.touches.took(start: start, ids: ids, isFull: isFull, asked: asked, answered: Claiming.now())
        }
        return (rows.count, users, changed)
    }
}
