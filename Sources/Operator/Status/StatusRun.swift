package import Configuration
import Postgres
import Core

/// `nudged status`.
package struct StatusRun: Sendable {
    private let database: DatabaseAccess

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        database = try DatabaseAccess(configuration)
    }

    /// Reads the database; changes nothing.
    ///
    /// - Throws: `PostgresError` if the database can't be reached or refuses. `SchemaError` if its schema is not this
    ///   version's.
    package func run() async throws -> StatusPage {
        try await database.withStore { store in
            let work = try await store.workStatus()
            let paused = work.pauses.filter { $0.resumedAt == nil }.map(\.kind)
            let waiting = try await paused.isEmpty ? nil : store.pausedUsers(paused)
            return StatusPage(work, waiting: waiting)
        }
    }
}
