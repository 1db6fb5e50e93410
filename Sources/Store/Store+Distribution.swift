import Postgres

/// Tables that lie on several machines (docs/SCALING.md): what one text can't say on both kinds has two.
extension Store {
    /// feature_not_supported
    static let notSupported = "0A000"

    /// Asks in the way that the database takes: where it refuses the one for plain tables, in the other from then on.
    func asking<T>(
        _ query: Query,
        _ ask: (Query) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        let fitting = claiming.isDistributed ? query.whenDistributed : query
        do throws(PostgresError) {
            return try await ask(fitting)
        } catch {
            guard error.sqlState == Self.notSupported, fitting != query.whenDistributed else { throw error }
            claiming.noteDistribution()
        }
        return try await ask(query.whenDistributed)
    }
}

extension Query {
    /// The text for distributed tables, where there is one of its own: it works on plain tables, too, and costs more there.
    var whenDistributed: Query {
        switch self {
        case .holdMessages: .holdMessagesDistributed
        case .claimMessagesBounded: .claimMessagesBoundedDistributed
        default: self
        }
    }
}
