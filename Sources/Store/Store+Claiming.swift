import FoundationEssentials
import Postgres
import TimeZones

/// A claim in two steps, without row locks in between: also for databases that refuse FOR UPDATE SKIP LOCKED across shards.
extension Store {
    /// What every question of one claim says.
    struct ClaimTerms: Sendable {
        let now: Instant
        let limit: Int
        let leaseID: UUID
        let leaseMilliseconds: Int64
        let living: [UUID]
    }

    /// How long a claim waits for a row that somebody holds, in milliseconds: another daemon's commit takes less.
    private static let patience = 250
    /// The same while the one is sought among many whom somebody holds for longer.
    private static let searchPatience = 50
    /// More devices than these in a batch are no people's: then the newest hundred of each count.
    private static let devicesAUser = 4
    private static let devicesAtLeast = 100
    /// Daemons that are quicker each time can't keep a claim from ending.
    private static let rounds = 24

    /// Leases as many as asked for, or all who are due: fewer than `limit` come only where every range was seen to its end.
    func claim(
        _ terms: ClaimTerms,
        isStart: Bool,
        onUnreadable: (UUID) -> Void
    ) async throws(PostgresError) -> [ClaimedUser] {
        if isStart {
            try await lookForFloor(now: terms.now)
            claiming.restart()
        }
        var users: [ClaimedUser] = []
        var unreadable = 0
        for _ in 0..<Self.rounds {
            let wanted = terms.limit - users.count - unreadable
            if wanted <= 0 { break }
            let found = try await candidates(terms, limit: wanted)
            let isEnd = claiming.took(isFull: found.count >= wanted, last: found.last)
            if !found.isEmpty {
                for claimed in try await take(found.map(\.userID), terms, patience: Self.patience) {
                    switch claimed {
                    case .success(let user): users.append(user)
                    case .failure(let unread):
                        unreadable += 1
                        onUnreadable(unread.userID)
                    }
                }
            }
            if isEnd { break }
        }
        return users.sorted { ($0.dueAt, $0.userID) < ($1.dueAt, $1.userID) }
    }

    /// Now and then: from where on there is anyone.
    private func lookForFloor(now: Instant) async throws(PostgresError) {
        let asked = Self.milliseconds()
        guard claiming.withFloor({ $0.isDue(at: asked) }) else { return }
        let rows = try await one(
            claims,
            .dueFloor,
            [.timestamp(now.endOfSecond), .int4Array(RangeWalk.all), .int8(Int64(DueFloor.rowLimit))]
        )
        let count = Int(try rows.int8(0, 0))
        let oldest = try rows.timestampOrNull(0, 1)
        claiming.withFloor {
            $0.took(count: count, oldest: oldest, now: now, asked: asked, answered: Self.milliseconds())
        }
    }

    private static func milliseconds() -> Int64 {
        let elapsed = ContinuousClock.now - started
        return Int64(elapsed / .milliseconds(1))
    }

    private static let started = ContinuousClock.now

    private func candidates(_ terms: ClaimTerms, limit: Int) async throws(PostgresError) -> [Cursor] {
        let ask = claiming.ask
        let rows = try await one(
            claims,
            .claimCandidates,
            [
                .timestamp(terms.now.endOfSecond), .timestamp(ask.after.dueAt), .uuid(ask.after.userID),
                .int8(Int64(limit)), .uuidArray(terms.living), .int4Array(ask.ranges), .uuidArray(claiming.held),
            ]
        )
        var found: [Cursor] = []
        found.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            found.append(Cursor(dueAt: try rows.timestamp(row, 1), userID: try rows.uuid(row, 0)))
        }
        return found
    }

    /// Leases those who are still free. Where somebody holds a row for longer than a commit takes, it is found by halves and left for a
    /// while: one held row stops nobody else.
    private func take(
        _ users: [UUID],
        _ terms: ClaimTerms,
        patience: Int
    ) async throws(PostgresError) -> [Result<ClaimedUser, ClaimedParts.Unreadable>] {
        let deviceLimit = Self.devicesAUser * users.count + Self.devicesAtLeast
        let statements = [
            Statement(
                Query.claimTaken.rawValue,
                sql: Query.claimTaken.sql,
                parameters: [
                    .uuidArray(users), .timestamp(terms.now.endOfSecond), .uuid(terms.leaseID),
                    .int8(terms.leaseMilliseconds), .uuidArray(terms.living),
                ]
            ),
            Statement(
                Query.claimRecipients.rawValue,
                sql: Query.claimRecipients.sql,
                parameters: [.uuidArray(users)]
            ),
            Statement(
                Query.claimDevices.rawValue,
                sql: Query.claimDevices.sql,
                parameters: [.uuidArray(users), .int8(Int64(deviceLimit))]
            ),
        ]
        let rows: [Rows]
        do throws(PostgresError) {
            rows = try await transaction(claims, statements, settings: [("lock_timeout", String(patience))])
        } catch {
            // 55P03: lock_not_available.
            guard error.sqlState == "55P03" else {
                // They may be leased without our knowing whom: given back, they need not wait for the lease's end.
                if error.mayHaveCommitted { Task { try? await release(users, leaseID: terms.leaseID) } }
                throw error
            }
            guard users.count > 1 else {
                claiming.hold(users[0])
                return []
            }
            let middle = users.count / 2
            let left = try await take(Array(users[..<middle]), terms, patience: Self.searchPatience)
            return left + (try await take(Array(users[middle...]), terms, patience: Self.searchPatience))
        }
        guard rows.count == 3 else { throw PostgresError(.unexpectedResult, statement: Query.claimTaken.rawValue) }
        var devices = rows[2]
        if devices.count >= deviceLimit { devices = try await one(claims, .claimDevicesBounded, [.uuidArray(users)]) }
        return try ClaimedParts(people: rows[0], recipients: rows[1], devices: devices).users()
    }
}
