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
    /// Several daemons may do it at once: each user is settled once, by their turn.
    package func recoverOrphans(limit: Int, reason: String = "daemon_lost") async throws(PostgresError) -> Recovery {
        let now = Claiming.now()
        let left = claiming.with { state in
            state.orphans = state.orphans.filter { $0.value > now }
            return Array(state.orphans.keys)
        }
        let rows = try await one(claims, .orphans, [.int8(Int64(limit)), .uuidArray(left)])
        var recovery = Recovery()
        for row in 0..<rows.count {
            let id = try rows.uuid(row, 0)
            let turns: [UUID: Int32] = try await one(claims, .turns, [.uuidArray(rows.uuidArray(row, 3))]).byUser()
            let (orphan, unreadable) = try orphan(rows, row, reason, turns)
            let result = try await settle(orphan)
            let pushes = orphan.changes.lazy.filter { result.settled.contains($0.userID) }.flatMap(\.records)
            recovery.pushes += pushes.count { $0.apnsID != nil }
            let refused = result.refused + unreadable
            recovery.refused += refused
            if let refusal = refused.first {
                let time = refusal.cause == .content ? SetAside.suspectMilliseconds : SetAside.heldMilliseconds
                claiming.with { $0.orphans[id] = Claiming.now() + time }
            } else {
                _ = try await one(claims, .dropOrphan, [.uuid(id)])
                recovery.intents += 1
            }
        }
        return recovery
    }

    /// What an orphan's open users get, and users whose part can't be read.
    private func orphan(
        _ rows: Rows,
        _ row: Int,
        _ reason: String,
        _ turnsNow: [UUID: Int32]
    ) throws(PostgresError) -> (Settlement, [Refusal]) {
        let attemptedAt = try rows.timestamp(row, 2)
        let (users, turns) = (try rows.uuidArray(row, 3), try rows.int4Array(row, 4))
        let contents = try rows.bytesArray(row, 5)
        var orphan = Settlement(member: nil, sweepID: try rows.uuid(row, 1))
        var unreadable: [Refusal] = []
        for ((user, turn), content) in zip(zip(users, turns), contents) {
            // Users of a later turn are settled, and users without a row erased: what ended for them has ended.
            guard let user, let turn, let content, let now = turnsNow[user], now <= turn else { continue }
            let change = Change(userID: user, turn: turn, content: content, attemptedAt: attemptedAt, reason: reason)
            if let change {
                orphan.changes.append(change)
            } else {
                unreadable.append(Refusal(userID: user, column: "nudged.intent.contents", error: "can't be read"))
            }
        }
        return (orphan, unreadable)
    }

    /// Run on a session that replaces one whose answer did not come. If that one's commit waits for a synchronous
    /// standby that is away, it goes on waiting in the server after the client has left. Each further commit would do
    /// the same, until no session is left for the app either.
    @Sendable static func expectAnswers(_ connection: Connection) async throws(PostgresError) {
        let rows = try await connection.run(Query.stuckCommits())
        guard try rows.bool(0, 0) else { return }
        let detail = "commits wait for a synchronous standby that is away"
        throw PostgresError(.timedOut, statement: "commit", detail: detail)
    }
}
