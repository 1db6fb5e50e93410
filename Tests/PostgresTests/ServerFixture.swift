import LocalPostgres
import Synchronization
import Testing

@testable import Postgres

/// One server for all tests of this process; its watchdog ends it with us. Each test has a database of its own.
enum ServerFixture {
    static let cluster = Result {
        try LocalCluster(LocalCluster.Options(maxConnections: 300, password: "correct-horse"))
    }
    private static let count = Atomic<Int>(0)

    static func configuration(timeout: Duration = .seconds(30)) throws -> ConnectionConfiguration {
        let cluster = try cluster.get()
        let name = "t\(count.add(1, ordering: .relaxed).newValue)"
        try cluster.createDatabase(named: name)
        var found = try ConnectionConfiguration.parse(url: cluster.url(database: name), statementTimeout: timeout)
        // These tests write names without a schema.
        found.searchPath = "public"
        return found
    }

    static func connection(timeout: Duration = .seconds(30)) async throws -> Connection {
        try await Connection.open(try configuration(timeout: timeout))
    }

    static func sql(_ text: String, _ parameters: Parameter...) -> Statement {
        Statement("test", sql: text, parameters: parameters)
    }

    /// The error that the body throws.
    static func error(_ body: () async throws -> Void) async -> PostgresError? {
        do {
            try await body()
        } catch {
            return error as? PostgresError
        }
        return nil
    }
}
