import FoundationEssentials
package import Postgres

/// Orphans: intents whose members have ended. Any daemon records them as unknown.
extension Store {
    package struct Recovery: Sendable, Equatable {
        /// Intents that were closed.
        package var intents = 0
        /// Pushes that were recorded as unknown.
        package var pushes = 0
        /// Users whose outcomes could not be recorded. They wait; the others don't.
        package var refused: [Refusal] = []
    }

    /// Records orphans as unknown, and deletes the empty rows of intents that were withdrawn a minute ago.
    ///
    /// - Parameters:
    ///   - limit: most intents.
    ///   - reason: the reason in the record.
    package func recoverOrphans(limit: Int, reason: String = "daemon_lost") async throws(PostgresError) -> Recovery {
        let now = Claiming.now()
        let left = claiming.with { state in
            state.orphans = state.orphans.filter { $0.value > now }
            return Array(state.orphans.keys)
        }
        let rows = try await one(claims, .orphans, [.int8(Int64(limit)), .uuidArray(left)])
        var orphans: [(id: UUID, users: [UUID])] = []
        for row in 0..<rows.count {
            orphans.append((try rows.uuid(row, 0), try rows.uuidArray(row, 1).compactMap(\.self)))
        }
        var recovery = Recovery()
        try await bisecting(
            orphans,
            refused: { (orphan, _) async throws(PostgresError) in
                // This intent is refused as a whole, so it is recorded user by user.
                recovery += try await recover(orphan, reason: reason)
            },
            work: { (orphans, patience) async throws(PostgresError) in
                recovery += try await recover(orphans.map(\.id), users: nil, reason: reason, patience)
            }
        )
        return recovery
    }

    private func recover(
        _ orphan: (id: UUID, users: [UUID]),
        reason: String
    ) async throws(PostgresError) -> Recovery {
        var recovery = Recovery()
        try await bisecting(
            orphan.users.sorted(),
            parting: parting(claims) { $0 },
            refused: { (user, error) async throws(PostgresError) in
                recovery.refused.append(Refusal(user, error))
            },
            work: { (users, patience) async throws(PostgresError) in
                recovery += try await recover([orphan.id], users: users, reason: reason, patience)
            }
        )
        if let refusal = recovery.refused.first {
            let time = refusal.cause == .content ? SetAside.suspectMilliseconds : SetAside.heldMilliseconds
            claiming.with { $0.orphans[orphan.id] = Claiming.now() + time }
        }
        return recovery
    }

    private func recover(
        _ intents: [UUID],
        users: [UUID]?,
        reason: String,
        _ patience: Patience
    ) async throws(PostgresError) -> Recovery {
        let rows = try await one(
            claims,
            .recover,
            [.uuidArray(intents), users.map { .uuidArray($0) } ?? .null(.uuidArray), .text(reason)],
            settings: patience.settings,
            timeout: patience.statement
        )
        return Recovery(intents: Int(try rows.int8(0, 0)), pushes: Int(try rows.int8(0, 1)))
    }

    /// Run on a session that replaces one whose answer did not come. If that one's commit waits for a synchronous
    /// standby that is away, it goes on waiting in the server after the client has left. Each further commit would do
    /// the same, until no session is left for the app either.
    @Sendable static func expectAnswers(_ connection: Connection) async throws(PostgresError) {
        let rows = try await connection.run(Query.stuckCommits())
        guard try rows.bool(0, 0) else { return }
        throw PostgresError(
            .timedOut,
            statement: "commit",
            detail: "commits wait for a synchronous standby that is away"
        )
    }
}

extension Store.Recovery {
    fileprivate static func += (sum: inout Self, part: Self) {
        sum.intents += part.intents
        sum.pushes += part.pushes
        sum.refused += part.refused
    }
}
