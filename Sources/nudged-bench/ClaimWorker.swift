import Policy
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// One daemon of `nudged-bench claim`.
struct ClaimWorker: Sendable {
    /// How it claims.
    enum Method: String, CaseIterable, Sendable {
        /// What the claim is held against.
        case skipLocked = "skip-locked"
        /// `Store.claim`.
        case twoStep = "two-step"
    }

    private struct Claimed: Sendable {
        let lease: UUID
        let users: [(id: UUID, version: Int64, dueAt: Int64)]
    }

    let method: Method
    let batch: Int
    let store: Store
    let database: Database

    init(_ method: Method, batch: Int, _ configuration: ConnectionConfiguration) {
        self.method = method
        self.batch = batch
        store = Store(configuration: configuration)
        database = Database(configuration)
    }

    /// Connects.
    func open() async throws {
        _ = try await store.clock()
        _ = try await database.connection()
    }

    func close() async {
        await store.close()
        await database.close()
    }

    /// Claims and settles until nobody is due; the next batch is claimed while this one is settled, as in a sweep. Returns how many.
    func work() async throws -> Int {
        let now = Instant(seconds: try await store.clock() / 1_000_000)
        var settled = 0
        var claimed = try await next(now, nil)
        while let last = claimed.users.last {
            let mine = claimed
            let from = mine.users.count < batch ? nil : last
            async let following = next(now, from)
            settled += try await settle(mine, now)
            claimed = try await following
        }
        return settled
    }

    private func next(_ now: Instant, _ last: (id: UUID, version: Int64, dueAt: Int64)?) async throws -> Claimed {
        let lease = UUID()
        switch method {
        case .skipLocked:
            let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            let from = (last?.dueAt ?? .min, last?.id ?? none)
            let claim = SkipLockedClaim(database: database)
            return Claimed(
                lease: lease,
                users: try await claim.users(now, after: from, limit: batch, leaseID: lease)
            )
        case .twoStep:
            let users = try await store.claim(
                now: now,
                startingOver: last == nil,
                limit: batch,
                leaseID: lease,
                leaseMilliseconds: 60_000
            )
            return Claimed(lease: lease, users: users.map { ($0.userID, $0.version, $0.dueAt) })
        }
    }

    private func settle(_ claimed: Claimed, _ now: Instant) async throws -> Int {
        let updates = claimed.users.map { user in
            PersonUpdate(
                userID: user.id,
                version: user.version,
                dueAt: now + 86_400,
                askedAt: now,
                since: nil,
                fingerprint: 7,
                history: History(),
                retry: nil
            )
        }
        let settlement = Settlement(leaseID: claimed.lease, sweepID: UUID(), fence: .none, updates: updates)
        return try await store.settle(settlement).usersSettled
    }
}
