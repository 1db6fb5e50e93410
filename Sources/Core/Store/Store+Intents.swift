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
    /// Commits an intent.
    ///
    /// A touch may come until this commit. So touches and pauses are read after the commit and before the first byte.
    /// Users found there are in the intent and must be withdrawn. So must messages and reminders that could not be
    /// locked: they were cancelled, or are being cancelled. The other nudges of their users don't wait for that.
    ///
    /// - Returns: users with touches that are not drained; the paused kinds; the messages and reminders to withdraw.
    /// - Throws: `isFenced` if the membership has ended.
    package func commit(
        _ intent: Intent
    ) async throws(PostgresError) -> (touched: Set<UUID>, paused: Set<NudgeKind>, cancelled: Set<MessageReference>) {
        let commit = Query.intent(intent.parameters)
        let looks = [Query.touchedSince([.uuidArray(intent.changes.map(\.userID))]), Query.pausedKinds()]
        // A list is joined with a list here, which takes linear time only by hashing.
        let settings = [("enable_hashjoin", "on")]
        guard !intent.messages.isEmpty else {
            let answers = try await transaction(intents, [commit], afterwards: looks, settings: settings)
            return (try answers[1].uuidSet(), try Self.kinds(answers[2]), [])
        }
        let wanted: [Parameter] = [.uuidArray(intent.messages.map(\.userID)), .uuidArray(intent.messages.map(\.id))]
        // Distributed rows are locked by an update.
        let answers = try await asking { isDistributed async throws(PostgresError) -> [Rows] in
            let hold = (isDistributed ? Query.holdMessagesDistributed : .holdMessages)(wanted)
            return try await transaction(intents, [hold, commit], afterwards: looks, .usual, settings: settings)
        }
        let held = try answers[0].decoded(MessageReference.init(userID:id:))
        return (try answers[2].uuidSet(), try Self.kinds(answers[3]), Set(intent.messages).subtracting(held))
    }

    // MARK: Changes

    /// Whether a change of the user waits to be drained, checked as after a commit. For decisions to send nothing.
    package func isTouched(_ user: UUID) async throws(PostgresError) -> Bool {
        try await one(records, .touchedSince, [.uuidArray([user])]).count > 0
    }
}
