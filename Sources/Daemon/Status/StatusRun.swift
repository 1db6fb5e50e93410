import Postgres
import Store

/// `nudged status`.
public struct StatusRun: Sendable {
    private let configuration: ConnectionConfiguration
    private let statementTimeout: Duration

    /// - Throws: what is wrong with `database.url`.
    public init(_ configuration: Configuration) throws {
        guard let database = configuration.database else {
            throw ConfigurationFault(key: "database.url", what: "is missing", mend: "set DATABASE_URL")
        }
        self.configuration = try Assembly.connection(
            database.url.text,
            allowInsecure: database.allowInsecure,
            statementTimeout: database.statementTimeout
        )
        statementTimeout = database.statementTimeout
    }

    /// Asks the database; changes nothing.
    ///
    /// - Throws: `PostgresError` where it can't be reached or refuses; `SchemaError` where the schema is not this version's.
    public func run() async throws -> StatusPage {
        // One attempt: who runs it by hand wants to know at once.
        let standing = try await Migrator.standing(configuration)
        guard standing.isUsable else { throw SchemaError(standing: standing) }
        let store = Store(configuration: configuration, statementTimeout: statementTimeout)
        do {
            let work = try await store.standing()
            await store.close()
            return StatusPage(work)
        } catch {
            await store.close()
            throw error
        }
    }
}
