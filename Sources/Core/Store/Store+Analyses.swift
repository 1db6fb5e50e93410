package import struct FoundationEssentials.UUID
package import Postgres
package import TimeZones

/// When the decision service was asked about a user, and whether it may be. Only the owner of the user's range reads
/// and writes the instants, so no daemon overwrites another's entry.
extension Store {
    /// When it was asked, in any order; nil: the user was erased.
    ///
    /// - Throws: `isFenced` if the membership has ended, as `noteAnalysed` does.
    package func analysed(_ user: UUID, member: UUID) async throws(PostgresError) -> [Instant]? {
        let rows = try await transaction(records, holding: member, [Query.analysed([.uuid(user)])])
        guard rows[0].count > 0 else { return nil }
        return try rows[0].timestampArray(0, 0).compactMap(Instant.init(microseconds:))
    }

    /// Records a question before it is asked. False: the user was erased, and the question must not be asked.
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

    /// The user's preferences now, as a claim reads them. nil: null, or the app has no such user, or several rows of them.
    package func preferences(of user: UUID) async throws(PostgresError) -> String? {
        let rows = try await one(records, .claimProfiles, [.uuidArray([user]), .int8(.max), .int8(2)])
        return rows.count == 1 ? try rows.textOrNull(0, 1) : nil
    }
}
