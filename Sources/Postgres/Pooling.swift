/// What stands between us and the server, found out by behaviour: poolers say nothing of themselves to those who are no administrators of theirs.
public enum Pooling: Sendable, Equatable {
    /// Nothing: the process that was named when the connection began is the one that answers.
    case direct
    /// A pooler that gives a client one server connection for as long as it stays.
    case session
    /// A pooler that gives server connections to clients transaction by transaction.
    case transaction
    /// A pooler that refuses transactions.
    case statement
    /// A pooler that gave no second connection to the server in time.
    case exhausted
}

extension Pooling {
    /// The server processes that answered two clients in turns, the first of them connected all the while.
    struct Turn: Equatable {
        let first: Int32
        let second: Int32
    }

    /// A pooler stands between: what its clients' answers say of how it shares. A process that answers the second while the first is still there, or a first that is
    /// answered by another than before, belongs to no client.
    init(behind turns: [Turn]) {
        let isShared = turns.contains { $0.first == $0.second } || Set(turns.map(\.first)).count > 1
        self = isShared ? .transaction : .session
    }

    /// Poolers hand out what came back last: with nobody else about one turn tells. Somebody else may be quicker.
    private static let turns = 3

    /// Looks, on connections of its own: two at most. Changes nothing.
    ///
    /// - Throws: what kept the first of them from being made or from answering.
    public static func of(_ configuration: ConnectionConfiguration) async throws(PostgresError) -> Pooling {
        let first = try await Connection.open(configuration)
        do throws(PostgresError) {
            let answering = try await processID(first)
            let pooling =
                await first.namedProcessID == answering ? .direct : try await behind(first, answering, configuration)
            await first.close()
            return pooling
        } catch {
            await first.close()
            throw error
        }
    }

    private static func behind(
        _ first: Connection,
        _ answering: Int32,
        _ configuration: ConnectionConfiguration
    ) async throws(PostgresError) -> Pooling {
        let second: Connection
        do throws(PostgresError) {
            second = try await Connection.open(configuration)
        } catch {
            return .exhausted
        }
        let pooling = await shared(first, answering, second)
        await second.close()
        return try pooling.get()
    }

    private static func shared(
        _ first: Connection,
        _ answering: Int32,
        _ second: Connection
    ) async -> Result<Pooling, PostgresError> {
        do throws(PostgresError) {
            _ = try await processID(second)
        } catch {
            // Not even a statement by itself: all of the pool's connections are others'.
            return .success(.exhausted)
        }
        var all: [Turn] = []
        do throws(PostgresError) {
            for _ in 0..<turns where all.isEmpty || Pooling(behind: all) == .session {
                let one = all.isEmpty ? answering : try await processID(first)
                all.append(Turn(first: one, second: try await inTransaction(second)))
            }
        } catch {
            // protocol_violation: so PgBouncer ends who begins a transaction in its statement mode.
            return error.sqlState == "08P01" ? .success(.statement) : .failure(error)
        }
        return .success(Pooling(behind: all))
    }

    private static let question = Statement("backend_pid", sql: "select pg_backend_pid()")

    private static func processID(_ connection: Connection) async throws(PostgresError) -> Int32 {
        try await connection.run(question).int4(0, 0)
    }

    /// In two turns, as a transaction that somebody thinks about.
    private static func inTransaction(_ connection: Connection) async throws(PostgresError) -> Int32 {
        do {
            return try await connection.transaction(settings: []) { transaction in
                try await transaction.run(question).int4(0, 0)
            }
        } catch {
            throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: question.name)
        }
    }
}
