/// An interactive transaction for the body of `Connection.transaction`. The body must not call the connection itself.
public struct Transaction: Sendable {
    let connection: Connection
    let id: UInt64
    let timeout: Duration

    /// - Throws: As `Connection.run`. After an error it can only roll back. `transactionEnded` after its end.
    public func run(_ statement: Statement) async throws(PostgresError) -> Rows { try await run([statement])[0] }

    public func run(_ statements: [Statement]) async throws(PostgresError) -> [Rows] {
        try await connection.within(self) { link, deadline throws(PostgresError) in
            try link.flight(statements, deadline)
        }
    }

    /// Runs one statement that may fail. If the server refuses it, only this statement is undone and the
    /// transaction continues. If no answer comes, the transaction is lost.
    public func attempt(_ statement: Statement) async throws(PostgresError) -> Rows {
        do throws(PostgresError) {
            return try await run([Self.savepoint, statement, Self.release])[1]
        } catch {
            if error.sqlState != nil { _ = try await run([Self.rollBackToSavepoint, Self.release]) }
            throw error
        }
    }

    private static let savepoint = Statement("savepoint", sql: "savepoint attempt")
    private static let release = Statement("release_savepoint", sql: "release savepoint attempt")
    private static let rollBackToSavepoint = Statement("rollback_to_savepoint", sql: "rollback to savepoint attempt")

    public func execute(script: String, name: String = "script") async throws(PostgresError) {
        try await connection.within(self) { link, deadline throws(PostgresError) in
            try link.script(script, name: name, deadline)
        }
    }
}

extension Connection {
    /// Runs `body` in a transaction. It commits when `body` returns and rolls back when `body` throws. No other caller
    /// uses the connection meanwhile. For migrations; the pipeline sends its statements in one flight. `isSnapshot`: it
    /// only reads one snapshot (REPEATABLE READ READ ONLY). Keep it short: meanwhile VACUUM can't remove newly dead
    /// rows.
    /// - Throws: What `body` throws. `rolledBack` if `body` ignored a statement's error and returned.
    public func transaction<T: Sendable>(
        isSnapshot: Bool = false,
        settings: [(String, String)] = [],
        timeout: Duration? = nil,
        _ body: @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        lastTransaction += 1
        let transaction = Transaction(connection: self, id: lastTransaction, timeout: timeout)
        currentTransaction = transaction.id
        defer { currentTransaction = nil }
        let start = [isSnapshot ? Self.beginSnapshot : Self.begin, self.settings(settings, timeout)]
        do {
            _ = try flight(start, timeout + Self.grace)
            let value = try await body(transaction)
            let answer = try flight([Self.commit], timeout + Self.grace)
            try Self.checkCommitted(answer[0])
            return value
        } catch {
            // Does nothing if the commit failed or the connection is lost. Otherwise it ends the transaction.
            rollBackWhatIsOpen()
            throw error
        }
    }

    func within<T: Sendable>(
        _ transaction: Transaction,
        _ work: @Sendable (ServerLink, Deadline) throws(PostgresError) -> T
    ) throws(PostgresError) -> T {
        guard currentTransaction == transaction.id else { throw PostgresError(.transactionEnded) }
        return try perform { link throws(PostgresError) in
            try work(link, Deadline(after: transaction.timeout + Self.grace))
        }
    }
}
