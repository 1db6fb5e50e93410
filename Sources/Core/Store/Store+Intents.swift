package import FoundationEssentials
package import Policy
package import Postgres
package import TimeZones

/// A slice of pushes that are about to be written. It is durable before the first byte.
package struct Intent: Sendable {
    package var id: UUID = UUID.random()
    /// The membership that owns the users' ranges.
    package let member: UUID
    package let sweepID: UUID
    package let attemptedAt: Instant
    /// Microseconds to add to `attemptedAt`, from a counter: two attempts in a second have two instants.
    package var fraction: Int32 = 0
    /// What is recorded of each user if the daemon dies now.
    package let changes: [Change]
    /// The messages and reminders in it. They are locked against cancellation until the commit.
    package var messages: [MessageReference] = []

    var parameters: [Parameter] {
        [
            .uuid(id), .uuid(member), .uuid(sweepID), .timestamp(attemptedAt.microseconds &+ Int64(fraction)),
            .uuidArray(changes.map { $0.userID }), .int4Array(changes.map { $0.turn }),
            .byteaArray(changes.map { $0.content }), .uuidArray(messages.map(\.id)),
        ]
    }
}

/// Identifies a message or reminder: a row of `nudged.message` or `nudged.occurrence`. An id is unique across both.
package struct MessageReference: Sendable, Hashable {
    package let userID: UUID
    package let id: UUID
}

/// What is about to be written to Apple, and whether its users have changed since.
extension Store {
    /// Commits an intent. Returns users with touches that are not drained, the paused kinds, and the messages and
    /// reminders to withdraw.
    ///
    /// A touch may come until this commit. So touches and pauses are read after the commit and before the first byte.
    /// Users found there are in the intent and must be withdrawn. So must messages and reminders that could not be
    /// locked: they were cancelled, or are being cancelled. The other nudges of their users don't wait for that.
    package func commit(
        _ intent: Intent
    ) async throws(PostgresError) -> (touched: Set<UUID>, paused: Set<NudgeKind>, cancelled: Set<MessageReference>) {
        let commit = Query.intent(intent.parameters)
        let looks = [Query.touchedSince([.uuidArray(intent.changes.map(\.userID))]), Query.pausedKinds()]
        guard !intent.messages.isEmpty else {
            let answers = try await transaction(intents, [commit], afterwards: looks, hashes: true)
            return (try answers[1].uuidSet(), try Self.kinds(answers[2]), [])
        }
        let wanted: [Parameter] = [.uuidArray(intent.messages.map(\.userID)), .uuidArray(intent.messages.map(\.id))]
        // Distributed rows are locked by an update.
        let answers = try await asking { isDistributed async throws(PostgresError) -> [Rows] in
            let hold = (isDistributed ? Query.holdMessagesDistributed : .holdMessages)(wanted)
            return try await transaction(intents, [hold, commit], afterwards: looks, .usual, hashes: true)
        }
        let held = try answers[0].decoded(MessageReference.init(userID:id:))
        return (try answers[2].uuidSet(), try Self.kinds(answers[3]), Set(intent.messages).subtracting(held))
    }

    /// Whether a change of the user waits to be drained, checked as after a commit. For decisions to send nothing.
    package func isTouched(_ user: UUID) async throws(PostgresError) -> Bool {
        try await one(records, .touchedSince, [.uuidArray([user])]).count > 0
    }
    // MARK: Orphans: intents whose members have ended. Any daemon records them as unknown.

    package struct Recovery: Sendable, Equatable {
        package var intents = 0
        package var pushes = 0
        /// Users whose outcomes could not be recorded. They wait; the others don't.
        package var refused: [Refusal] = []
    }

    /// Records orphans as unknown, and deletes the empty rows of intents that were withdrawn a minute ago. Several
    /// daemons may do it at once: each user is settled once, by their turn.
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
            let (users, turns) = (try rows.uuidArray(row, 3), try rows.int4Array(row, 4))
            let turnsNow: [UUID: Int32] = try await one(claims, .turns, [.uuidArray(users)]).byUser()
            let at = try rows.timestamp(row, 2)
            var orphan = Settlement(member: nil, sweepID: try rows.uuid(row, 1))
            var unreadable: [Refusal] = []
            for ((user, turn), content) in zip(zip(users, turns), try rows.bytesArray(row, 5)) {
                // Users of a later turn are settled, and users without a row erased: what ended for them has ended.
                guard let user, let turn, let content, let now = turnsNow[user], now <= turn else { continue }
                let change = Change(userID: user, turn: turn, content: content, attemptedAt: at, reason: reason)
                if let change {
                    orphan.changes.append(change)
                } else {
                    unreadable.append(Refusal(userID: user, column: "nudged.intent.contents", error: "can't be read"))
                }
            }
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
