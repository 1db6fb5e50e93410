package import Postgres
import TimeZones

package import struct FoundationEssentials.UUID

/// What is about to be written to Apple, and whether its users have changed since.
extension Store {
    /// Commits an intent for those of its users whose data has not changed since the decision.
    ///
    /// A touch may be committed after the statement's snapshot and before this commit. So touches, versions and pauses
    /// are read once more, after the commit and before the first byte. Users found there are in the intent and must be
    /// withdrawn. So must messages and reminders that could not be locked: they were cancelled, or are being cancelled.
    /// The other nudges of their users don't wait for that.
    ///
    /// - Returns: the intent's users; those of them to withdraw; the messages and reminders to withdraw.
    /// - Throws: `isFenced` if the membership has ended.
    package func commit(
        _ intent: Intent
    ) async throws(PostgresError) -> (kept: Set<UUID>, changed: Set<UUID>, cancelled: Set<MessageReference>) {
        let users = Parameter.uuidArray(intent.entries.map(\.userID))
        let (holding, answers) = try await committing(
            intent,
            Query.intent(intent.parameters),
            looks: Self.looks(at: users)
        )
        guard answers.count == 4 else { throw PostgresError(.unexpectedResult, statement: Query.intent.name) }
        let kept = try userSet(answers[0])
        let held = intent.entries.filter { kept.contains($0.userID) }
        let changed = try changed(held.map { ($0.userID, $0.version) }, answers[1], answers[2])
        let paused = try Self.held(held, by: Self.kinds(answers[3]))
        return (kept, changed.union(paused.intersection(kept)), try cancelled(intent, holding))
    }

    /// Runs the intent's transaction. Messages and reminders are locked first, if there are any.
    private func committing(
        _ intent: Intent,
        _ commit: Statement,
        looks: [Statement]
    ) async throws(PostgresError) -> (holding: Rows?, answers: [Rows]) {
        // A list is joined with a list here, which takes linear time only by hashing.
        let settings = [("enable_hashjoin", "on")]
        guard !intent.messages.isEmpty else {
            return (nil, try await transaction(intents, [commit], afterwards: looks, settings: settings))
        }
        let parameters: [Parameter] = [
            .uuidArray(intent.messages.map(\.userID)), .uuidArray(intent.messages.map(\.id)),
        ]
        // Distributed rows are locked by an update.
        let answers = try await asking { isDistributed throws(PostgresError) in
            try await transaction(
                intents,
                [(isDistributed ? Query.holdMessagesDistributed : .holdMessages)(parameters), commit],
                afterwards: looks,
                settings: settings + Self.impatient
            )
        }
        return (answers.first, Array(answers.dropFirst()))
    }

    /// The messages and reminders that could not be locked.
    private func cancelled(_ intent: Intent, _ holding: Rows?) throws(PostgresError) -> Set<MessageReference> {
        guard let holding else { return [] }
        var held: Set<MessageReference> = []
        for row in 0..<holding.count {
            held.insert(MessageReference(userID: try holding.uuid(row, 0), id: try holding.uuid(row, 1)))
        }
        return Set(intent.messages.filter { !held.contains($0) })
    }

    // MARK: Changes

    /// Whether nothing about a user has changed since the decision, checked as after an intent's commit. For a decision
    /// that sends nothing.
    package func isUnchanged(_ user: UUID, version: Int64) async throws(PostgresError) -> Bool {
        let looks = Array(Self.looks(at: .uuidArray([user])).prefix(2))
        let answers = try await transaction(records, looks)
        guard answers.count == looks.count else {
            throw PostgresError(.unexpectedResult, statement: Query.versions.name)
        }
        return try changed([(user, version)], answers[0], answers[1]).isEmpty
    }

    /// Touches first. If one is drained between the two statements, the second one sees the raised version.
    static func looks(at users: Parameter) -> [Statement] {
        [Query.touchedSince([users]), Query.versions([users]), Query.pausedKinds()]
    }

    /// Users whose data changed since the decision, by the results of `looks`.
    func changed(
        _ decided: [(user: UUID, version: Int64)],
        _ touches: Rows,
        _ versions: Rows
    ) throws(PostgresError) -> Set<UUID> {
        let touched = try userSet(touches)
        var known: [UUID: Int64] = [:]
        known.reserveCapacity(versions.count)
        for row in 0..<versions.count { known[try versions.uuid(row, 0)] = try versions.int8(row, 1) }
        return Set(
            decided.filter { touched.contains($0.user) || known[$0.user]?.changes != $0.version.changes }.map(\.user)
        )
    }
}
