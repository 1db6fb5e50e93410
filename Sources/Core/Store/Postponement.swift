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
    ///
    /// - Throws: `isFenced` if the membership has ended.
    package func postpone(_ postponements: [Postponement], member: UUID) async throws(PostgresError) {
        try await bisecting(
            // In the order of user_id, like all writers that wait for locks, to avoid deadlocks with an operator's
            // commands.
            postponements.sorted { $0.userID < $1.userID },
            parting: parting(intents, user: \.userID),
            refused: { (one, error) in
                skip(Refusal(one.userID, error))
            },
            work: { (postponements, patience) async throws(PostgresError) in
                let postpone = Query.postpone([
                    .uuidArray(postponements.map(\.userID)), .int8Array(postponements.map(\.version)),
                    .timestampArray(postponements.map(\.until.microseconds)),
                ])
                _ = try await transaction(
                    intents,
                    holding: member,
                    [postpone],
                    settings: patience.settings,
                    timeout: patience.statement
                )
            }
        )
    }
}
