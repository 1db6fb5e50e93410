import Configuration
import Service
import Postgres
import Store

/// How a command reaches the database that its configuration names.
package struct DatabaseAccess: Sendable {
    let connection: ConnectionConfiguration
    private let statementTimeout: Duration

    /// - Throws: what is wrong with `database.url`.
    init(_ configuration: Configuration) throws {
        guard let database = configuration.database else {
            throw ConfigurationFault(key: "database.url", what: "is missing", mend: "set DATABASE_URL")
        }
        connection = try Assembly.connection(
            database.url.text,
            allowInsecure: database.allowInsecure,
            statementTimeout: database.statementTimeout
        )
        statementTimeout = database.statementTimeout
    }

    /// Gives the work a store, and closes it afterwards, however the work ends.
    ///
    /// - Throws: `PostgresError` where the database can't be reached or refuses; `SchemaError` where the schema is not this version's.
    func withStore<Result: Sendable>(_ work: (Store) async throws -> Result) async throws -> Result {
        // One attempt: who runs it by hand wants to know at once.
        let standing = try await Migrator.standing(connection)
        guard standing.isUsable else { throw SchemaError(standing: standing) }
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
