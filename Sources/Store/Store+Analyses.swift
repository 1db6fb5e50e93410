public import struct FoundationEssentials.UUID
public import Postgres
public import TimeZones

/// How often the decision service was asked of a user. Only whoever holds the lease reads and writes it, so one can't undo another's.
extension Store {
    /// When it was asked, in any order; nil: the user is not ours any more.
    public func analysed(_ user: UUID, leaseID: UUID) async throws(PostgresError) -> [Instant]? {
        let rows = try await one(records, .analysed, [.uuid(user), .uuid(leaseID)])
        guard rows.count > 0 else { return nil }
        return try rows.timestampArray(0, 0).compactMap(Instant.init(microseconds:))
    }

    /// Counts it, before it is asked. False: the user is not ours any more, and it must not be.
    ///
    /// - Parameter instants: all that count, the new one included.
    public func noteAnalysed(
        _ user: UUID,
        leaseID: UUID,
        _ instants: [Instant]
    ) async throws(PostgresError) -> Bool {
        let parameters: [Parameter] = [.uuid(user), .uuid(leaseID), .timestampArray(instants.map(\.microseconds))]
        return try await one(records, .noteAnalysed, parameters).count > 0
    }

    /// Whether nothing about a user changed since they were decided on, and they are still ours: as an intent's commit asks it. For what ends without one.
    public func isUnchanged(_ user: UUID, version: Int64, leaseID: UUID) async throws(PostgresError) -> Bool {
        let looks = [Query.touchedSince, .versions].map {
            Statement($0.rawValue, sql: $0.sql, parameters: [.uuidArray([user])])
        }
        let answers = try await transaction(records, looks)
        guard answers.count == looks.count else {
            throw PostgresError(.unexpectedResult, statement: Query.versions.rawValue)
        }
        return try changed([(user, version)], leaseID: leaseID, answers[0], answers[1]).isEmpty
    }
}
