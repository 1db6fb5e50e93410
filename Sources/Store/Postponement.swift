package import FoundationEssentials
package import Postgres
package import TimeZones

/// A user who rests until an instant.
package struct Postponement: Sendable {
    let userID: UUID
    let version: Int64?
    /// When they are due again.
    package let until: Instant

    /// - Parameter version: the claimed one, on another the user stays due; nil: whatever it is.
    package init(userID: UUID, version: Int64?, until: Instant) {
        self.userID = userID
        self.version = version
        self.until = until
    }
}

extension Store {
    /// Lets users rest. Those whose rows somebody holds stay due.
    ///
    /// - Throws: `isFenced` where the membership has ended.
    package func postpone(_ postponements: [Postponement], member: UUID) async throws(PostgresError) {
        try await bisecting(
            // In the order of user_id, like every other writer that waits: no deadlock with an operator's commands.
            postponements.sorted { $0.userID < $1.userID },
            parting: parting(intents, user: \.userID),
            refused: { (one, error) in
                claiming.with { $0.aside.skip(one.userID, at: Claiming.now(), isHeld: error.isHeldRow) }
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
