package import struct FoundationEssentials.UUID
package import Postgres
package import TimeZones

/// How often the decision service was asked of a user. Only the owner of their range reads and writes it, so one daemon can't undo another's.
extension Store {
    /// When it was asked, in any order; nil: the user was erased.
    ///
    /// - Throws: `isFenced` where the membership has ended; so does `noteAnalysed`.
    package func analysed(_ user: UUID, member: UUID) async throws(PostgresError) -> [Instant]? {
        let rows = try await transaction(records, holding: member, [Query.analysed([.uuid(user)])])
        guard rows[0].count > 0 else { return nil }
        return try rows[0].timestampArray(0, 0).compactMap(Instant.init(microseconds:))
    }

    /// Counts it, before it is asked. False: the user was erased, and it must not be.
    ///
    /// - Parameter instants: all that count, the new one included.
    package func noteAnalysed(
        _ user: UUID,
        member: UUID,
        _ instants: [Instant]
    ) async throws(PostgresError) -> Bool {
        let note = Query.noteAnalysed([.uuid(user), .timestampArray(instants.map(\.microseconds))])
        return try await transaction(records, holding: member, [note])[0].count > 0
    }
}
