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
    /// Daemons that are quicker each time can't keep a claim from ending.
    private static let rounds = 24

    /// Leases as many as asked for, or all who are due: fewer than `limit` come only where every range was seen to its end.
    func claim(
        _ terms: ClaimTerms,
        startingOver: Bool,
        onUnreadable: (UUID) -> Void
    ) async throws(PostgresError) -> [ClaimedUser] {
        if startingOver {
            try await lookForFloor(now: terms.now)
            claiming.restart()
        }
        var users: [ClaimedUser] = []
        do throws(PostgresError) {
            try await walk(terms, into: &users, onUnreadable: onUnreadable)
        } catch {
            // Those of the rounds before are ours, and would wait for the lease's end.
            giveBack(users.map(\.userID), terms)
            throw error
        }
        return users.sorted { ($0.dueAt, $0.userID) < ($1.dueAt, $1.userID) }
    }

    private func walk(
        _ terms: ClaimTerms,
        into users: inout [ClaimedUser],
        onUnreadable: (UUID) -> Void
    ) async throws(PostgresError) {
        let begun = Self.milliseconds()
        var seen: Set<UUID> = []
        var unreadable = 0
        for claimed in try await claimExpress(terms) where seen.insert(claimed.userID).inserted {
            switch claimed {
            case .success(let user): users.append(user)
            case .failure(let unread):
                unreadable += 1
                onUnreadable(unread.userID)
            }
        }
        for _ in 0..<Self.rounds {
            let wanted = terms.limit - users.count - unreadable
            // Whoever was found first must be decided and sent to before their lease ends.
            if wanted <= 0 || Self.milliseconds() - begun > terms.leaseMilliseconds / 4 { break }
            let found = try await candidates(terms, claiming.ask, until: terms.now.endOfSecond, limit: wanted)
            let isEnd = claiming.took(isFull: found.count >= wanted, last: found.last)
            if !found.isEmpty {
                // Nobody twice in a batch, whatever clocks and leases say: they would be sent to twice.
                for claimed in try await take(found.map(\.userID), terms) where seen.insert(claimed.userID).inserted {
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
    }

    /// Users of urgent messages, wherever the walk stands.
    private func claimExpress(_ terms: ClaimTerms) async throws(PostgresError) -> [Claimed] {
        let asked = Self.milliseconds()
        guard claiming.withExpress({ $0.isDue(at: asked) }) else { return [] }
        let found = try await candidates(
            terms,
            RangeWalk.Ask(ranges: RangeWalk.all.compactMap(\.self), after: .start),
            until: ExpressPace.horizon,
            limit: terms.limit
        )
        claiming.withExpress { $0.took(asked: asked, answered: Self.milliseconds()) }
        return found.isEmpty ? [] : try await take(found.map(\.userID), terms)
    }

    /// Without waiting: the database may be away.
    private func giveBack(_ users: [UUID], _ terms: ClaimTerms) {
        guard !users.isEmpty else { return }
        Task { try? await release(users, leaseID: terms.leaseID) }
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

    /// - Parameter until: who is due by then, microseconds since 1970.
    private func candidates(
        _ terms: ClaimTerms,
        _ ask: RangeWalk.Ask,
        until: Int64,
        limit: Int
    ) async throws(PostgresError) -> [Cursor] {
        let rows = try await one(
            claims,
            .claimCandidates,
            [
                .timestamp(until), .timestamp(ask.after.dueAt), .uuid(ask.after.userID),
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

    private typealias Claimed = Result<ClaimedUser, ClaimedParts.Unreadable>

    /// Leases those who are still free. Where somebody holds rows for longer than a commit takes, they are passed over and left for a while: they
    /// stop nobody else.
    private func take(_ users: [UUID], _ terms: ClaimTerms) async throws(PostgresError) -> [Claimed] {
        do throws(PostgresError) {
            return try await lease(users, .claimTaken, terms, patience: Self.patience)
        } catch {
            guard error.sqlState == Self.lockNotAvailable else { throw error }
        }
        do throws(PostgresError) {
            let taken = try await lease(users, .claimFree, terms, patience: Self.patience)
            let ours = Set(taken.map(\.userID))
            claiming.hold(users.filter { !ours.contains($0) })
            return taken
        } catch {
            // Distributed rows can't be passed over.
            guard error.sqlState == Self.notSupported else { throw error }
            return try await halves(users, terms, until: Self.milliseconds() + terms.leaseMilliseconds / 8)
        }
    }

    /// The same where rows can't be passed over: the held ones are found by halves, for as long as that may take.
    private func halves(_ users: [UUID], _ terms: ClaimTerms, until end: Int64) async throws(PostgresError) -> [Claimed]
    {
        do throws(PostgresError) {
            return try await lease(users, .claimTaken, terms, patience: Self.searchPatience)
        } catch {
            guard error.sqlState == Self.lockNotAvailable else { throw error }
        }
        guard users.count > 1, Self.milliseconds() < end else {
            claiming.hold(users)
            return []
        }
        let middle = users.count / 2
        let left = try await halves(Array(users[..<middle]), terms, until: end)
        return left + (try await halves(Array(users[middle...]), terms, until: end))
    }

    private func lease(
        _ users: [UUID],
        _ query: Query,
        _ terms: ClaimTerms,
        patience: Int
    ) async throws(PostgresError) -> [Claimed] {
        let questions = PartQuestions(users, until: terms.now.endOfSecond)
        let taking = Statement(
            query.rawValue,
            sql: query.sql,
            parameters: [
                .uuidArray(users), .timestamp(terms.now.endOfSecond), .uuid(terms.leaseID),
                .int8(terms.leaseMilliseconds), .uuidArray(terms.living),
            ]
        )
        do throws(PostgresError) {
            let rows = try await transaction(
                claims,
                [taking] + questions.statements,
                settings: [("lock_timeout", String(patience))]
            )
            guard let people = rows.first else { throw PostgresError(.unexpectedResult, statement: query.rawValue) }
            return try await questions.parts(people: people, rows.dropFirst()) {
                (query, parameters) async throws(PostgresError) in
                try await asking(query) { query throws(PostgresError) in try await one(claims, query, parameters) }
            }.users()
        } catch {
            // They may be leased without our knowing whom: given back, they need not wait for the lease's end.
            if error.sqlState != Self.lockNotAvailable { giveBack(users, terms) }
            throw error
        }
    }
}

extension Result where Success == ClaimedUser, Failure == ClaimedParts.Unreadable {
    /// Whose row it is.
    fileprivate var userID: UUID {
        switch self {
        case .success(let user): user.userID
        case .failure(let unread): unread.userID
        }
    }
}
