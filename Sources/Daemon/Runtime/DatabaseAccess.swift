import Postgres
import Store

/// The database as a command of one run reaches it: one attempt to connect, and the schema must be this version's.
struct DatabaseAccess: Sendable {
    let connection: ConnectionConfiguration
    let statementTimeout: Duration

    /// - Throws: what is wrong with `database.url`.
    init(_ configuration: Configuration) throws {
        guard let database = configuration.database else {
            throw ConfigurationFault(key: "database.url", what: "is missing", mend: "set DATABASE_URL")
        }
        statementTimeout = database.statementTimeout
        connection = try Assembly.connection(
            database.url.text,
            allowInsecure: database.allowInsecure,
            statementTimeout: database.statementTimeout
        )
    }

    /// Gives the work a store, and closes it.
    ///
    /// - Throws: `PostgresError` where the database can't be reached or refuses; `SchemaError` where the schema is not this version's.
    func withStore<T: Sendable>(_ work: (Store) async throws -> T) async throws -> T {
        // One attempt: who runs it by hand wants to know at once.
        let standing = try await Migrator.standing(connection)
        guard standing.isUsable else { throw SchemaError(standing: standing) }
        let store = Store(configuration: connection, statementTimeout: statementTimeout)
        do {
            let value = try await work(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }
}
