extension Connection {
    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws. Nobody else uses the connection
    /// meanwhile. For migrations; the hot path sends its statements in one flight.
    ///
    /// - Parameters:
    ///   - settings: for this transaction only.
    ///   - timeout: of each statement; nil: the configuration's.
    /// - Throws: what `body` throws; `rolledBack` where `body` swallowed a statement's error and returned.
    public func transaction<T: Sendable>(
        settings: [(String, String)] = [],
        timeout: Duration? = nil,
        _ body: @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        try await transaction(Self.begin, settings: settings, timeout: timeout, body)
    }

    /// Runs `body` in a transaction that only reads, all of it as of one instant: REPEATABLE READ READ ONLY. While it lasts, nothing that dies in the
    /// database is cleaned up: keep it short.
    ///
    /// - Parameters, throws: as `transaction`.
    public func snapshot<T: Sendable>(
        settings: [(String, String)] = [],
        timeout: Duration? = nil,
        _ body: @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        try await transaction(Self.beginSnapshot, settings: settings, timeout: timeout, body)
    }

    private func transaction<T: Sendable>(
        _ begin: Statement,
        settings: [(String, String)],
        timeout: Duration?,
        _ body: @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        let timeout = timeout ?? configuration.statementTimeout
        await takeTurn()
        defer { passTurn() }
        let transaction = Transaction(connection: self, id: startTransaction(), timeout: timeout)
        defer { endTransaction() }
        _ = try flight(
            [begin, Self.settings(settings, timeout)],
            timeout + Self.grace,
            leavingTransaction: true
        )
        do {
            let value = try await body(transaction)
            let answer = try flight([Self.commit], timeout + Self.grace)
            try Self.checkCommitted(answer[0])
            return value
        } catch {
            // Nothing to do where the commit failed or the connection is gone; else this ends the transaction.
            rollBack()
            throw error
        }
    }

    func run(_ statements: [Statement], in transaction: Transaction) throws(PostgresError) -> [Rows] {
        try check(transaction)
        return try flight(statements, transaction.timeout + Self.grace, leavingTransaction: true)
    }

    func execute(_ script: String, _ name: String, in transaction: Transaction) throws(PostgresError) {
        try check(transaction)
        try perform(leavingTransaction: true) { link throws(PostgresError) in
            try link.script(script, name: name, Deadline(after: transaction.timeout + Self.grace))
        }
    }

    private func check(_ transaction: Transaction) throws(PostgresError) {
        guard currentTransaction == transaction.id else { throw PostgresError(.transactionEnded) }
    }
}
