import Configuration
import Core
import Glibc
import Postgres
import Service
import Synchronization

import struct FoundationEssentials.UUID

struct DatabaseAccess: Sendable {
    let connection: ConnectionConfiguration

    init(_ configuration: Configuration) throws {
        guard let database = configuration.database else {
            throw ConfigurationFault(key: "database.url", what: "is missing", remedy: "set DATABASE_URL")
        }
        connection = try Assembly.connection(database)
    }

    func withStore<Result: Sendable>(_ work: (Store) async throws -> Result) async throws -> Result {
        // A single attempt: a person at a terminal wants the error at once.
        let schemaState = try await Migrator.schemaState(connection)
        guard schemaState.isUsable else { throw schemaState.failure }
        let store = Store(configuration: connection, statementTimeout: connection.statementTimeout)
        return try await ending({ await store.close() }) { try await work(store) }
    }
}

func ending<Result: Sendable>(_ end: () async -> Void, _ work: () async throws -> Result) async throws -> Result {
    do {
        let result = try await work()
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}

/// Steps of a command that passes over all users. Each step may run twice.
struct Steps {
    /// Users of one transaction: about ten milliseconds of row locks.
    static let page = 1_000
    static let countedAtOnce = 20_000
    private static let attempts = 6

    /// Raised: no step is repeated any more, and a pass ends. Nil: it can't be stopped.
    var flag: StopFlag?

    /// Repeats a step after a transient error (a deadlock, a broken connection).
    func again<T>(_ step: () async throws -> T) async throws -> T {
        for attempt in 1..<Self.attempts {
            do {
                return try await step()
            } catch let error as PostgresError where error.isTransient && flag?.isRaised != true {
                try? await Task.sleep(for: .milliseconds(50 << attempt))
            }
        }
        return try await step()
    }

    func count(_ page: (UUID) async throws -> (users: Int, next: UUID?)) async throws -> Int {
        var total = 0
        try await pages { user in
            let page = try await page(user)
            total += page.users
            return page.next
        }
        return total
    }

    /// Walks over all users. `step` gets the first user of a page, and returns the next page's. False: stopped.
    @discardableResult
    func pages(_ step: (UUID) async throws -> UUID?) async throws -> Bool {
        var next: UUID? = Store.firstUser
        while let user = next, flag?.isRaised != true { next = try await again { try await step(user) } }
        return next == nil
    }
}

/// SIGINT and SIGTERM as a flag that a long command reads between two steps.
final class StopFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }

    func onSignals<T>(_ work: () async throws -> T) async rethrows -> T {
        let signals = SignalSource([SIGINT: { self.raise() }, SIGTERM: { self.raise() }])
        defer { withExtendedLifetime(signals) {} }
        return try await work()
    }
}
