import Postgres
import Store

/// `nudged status`.
public struct StatusRun: Sendable {
    private let database: DatabaseAccess

    /// - Throws: what is wrong with `database.url`.
    public init(_ configuration: Configuration) throws {
        database = try DatabaseAccess(configuration)
    }

    /// Asks the database; changes nothing.
    ///
    /// - Throws: `PostgresError` where it can't be reached or refuses; `SchemaError` where the schema is not this version's.
    public func run() async throws -> StatusPage {
        try await database.withStore { StatusPage(try await $0.standing()) }
    }
}
