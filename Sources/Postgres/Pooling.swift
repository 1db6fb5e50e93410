/// What is between nudged and the server, found by its behaviour. Poolers tell only their administrators.
public enum Pooling: Sendable, Equatable {
    /// No pooler: the process named at the connection's start is the one that answers.
    case direct
    /// A pooler that gives each client one server connection until the client leaves.
    case session
    /// A pooler that gives clients a server connection for each transaction.
    case transaction
    case statement
    /// A pooler that gave no second server connection in time.
    case exhausted

    /// The server processes that answered two clients, while the first one stayed connected.
    struct Turn: Equatable {
        let first: Int32
        let second: Int32
    }

    /// Recognises how a pooler shares its server connections. They are shared if one process answers both clients, or
    /// if the first client gets another process than before.
    init(behind turns: [Turn]) {
        let isShared = turns.contains { $0.first == $0.second } || Set(turns.map(\.first)).count > 1
        self = isShared ? .transaction : .session
    }

    /// How often to check. Without other clients once is enough: poolers use the newest free connection again.
    private static let turns = 3

    /// Finds the pooling with at most two connections of its own. Changes nothing.
    /// - Throws: Why the first connection could not be made or did not answer.
    public static func of(_ configuration: ConnectionConfiguration) async throws(PostgresError) -> Pooling {
        try await Connection.once(configuration) { (first) async throws(PostgresError) in
            if try await processID(first) == first.namedProcessID { return .direct }
            do throws(PostgresError) {
                return try await Connection.once(configuration) { (second) async throws(PostgresError) in
                    try await shared(first, second)
                }
            } catch {
                // Only the second connection itself can fail so.
                guard error.code == .connectionFailed else { throw error }
                return .exhausted
            }
        }
    }

    private static func shared(_ first: Connection, _ second: Connection) async throws(PostgresError) -> Pooling {
        // If not even a single statement runs, other clients have all connections of the pool.
        guard (try? await processID(second)) != nil else { return .exhausted }
        var all: [Turn] = []
        do throws(PostgresError) {
            for _ in 0..<turns where all.isEmpty || Pooling(behind: all) == .session {
                all.append(Turn(first: try await processID(first), second: try await inTransaction(second)))
            }
        } catch {
            // protocol_violation: PgBouncer in statement mode closes a client that begins a transaction.
            guard error.sqlState == "08P01" else { throw error }
            return .statement
        }
        return Pooling(behind: all)
    }

    private static let question = Statement("backend_pid", sql: "select pg_backend_pid()")

    private static func processID(_ connection: Connection) async throws(PostgresError) -> Int32 {
        try await connection.run(question).int4(0, 0)
    }

    /// In two round trips, so the transaction stays open between them.
    private static func inTransaction(_ connection: Connection) async throws(PostgresError) -> Int32 {
        do {
            return try await connection.transaction { try await $0.run(question).int4(0, 0) }
        } catch { throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: question.name) }
    }
}
