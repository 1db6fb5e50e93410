import Configuration
import Service
import Postgres
import Core

/// Gives a command access to the database of its configuration.
package struct DatabaseAccess: Sendable {
    let connection: ConnectionConfiguration
    private let statementTimeout: Duration

    /// - Throws: what is wrong with `database.url`.
    init(_ configuration: Configuration) throws {
        guard let database = configuration.database else {
            throw ConfigurationFault(key: "database.url", what: "is missing", remedy: "set DATABASE_URL")
        }
        connection = try Assembly.connection(
            database.url.text,
            allowInsecure: database.allowInsecure,
            statementTimeout: database.statementTimeout
        )
        statementTimeout = database.statementTimeout
    }

    /// Runs `work` with a store, and closes the store afterwards.
    ///
    /// - Throws: `PostgresError` if the database can't be reached or refuses. `SchemaError` if its schema is not this
    ///   version's.
    func withStore<Result: Sendable>(_ work: (Store) async throws -> Result) async throws -> Result {
        // A single attempt: a person at a terminal wants the error at once.
        let schemaState = try await Migrator.schemaState(connection)
        guard schemaState.isUsable else { throw SchemaError(schemaState: schemaState) }
        let store = Store(configuration: connection, statementTimeout: statementTimeout)
        do {
            let result = try await work(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}
