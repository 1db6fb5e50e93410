package import Configuration
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// `nudged recover`: after a restore from backup, nothing older than now is sent.
///
/// The record since the backup is lost. A slot that has come may have been sent, so no such slot is sent. The command
/// can run beside daemons, user by user. After an interruption, run it again.
package struct RecoverRun: Sendable {
    private let database: DatabaseAccess

    /// Users of one transaction: about ten milliseconds of row locks.
    private static let batch = 1_000
    private static let intentsAtOnce = 100
    private static let attempts = 6

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        database = try DatabaseAccess(configuration)
    }

    /// Passes over all users once.
    ///
    /// - Throws: `PostgresError` if the database can't be reached or refuses. `SchemaError` if its schema is not this
    ///   version's.
    package func run() async throws -> RecoverReport {
        try await database.withStore { try await recover($0) }
    }

    private func recover(_ store: Store) async throws(PostgresError) -> RecoverReport {
        // Rounded up: pushes of the second that has begun may have been sent too.
        var report = RecoverReport(
            at: Instant(
                seconds: try await again { () async throws(PostgresError) in try await store.clock() } / 1_000_000 + 1
            )
        )
        let now = report.at
        // Changes first: they make rows for users who have none yet, and the pass over all users must find these rows.
        while try await again({ () async throws(PostgresError) in
            try await store.restoreTouches(before: now, limit: Self.batch)
        }) {}
        while true {
            let found = try await again { () async throws(PostgresError) in
                try await store.restoreIntents(limit: Self.intentsAtOnce)
            }
            report.unknown += found.pushes
            if found.intents < Self.intentsAtOnce { break }
        }
        var next: UUID? = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        while let user = next {
            let page = try await again { () async throws(PostgresError) in
                try await store.restoreUsers(from: user, now: now, limit: Self.batch)
            }
            report.users += page.users
            next = page.next
        }
        return report
    }

    /// Repeats a step after a transient error (a deadlock, a broken connection). Each step may run twice.
    private func again<T>(_ step: () async throws(PostgresError) -> T) async throws(PostgresError) -> T {
        var attempt = 1
        while true {
            do throws(PostgresError) {
                return try await step()
            } catch {
                guard error.isTransient, attempt < Self.attempts else { throw error }
                try? await Task.sleep(for: .milliseconds(50 << attempt))
                attempt += 1
            }
        }
    }
}
