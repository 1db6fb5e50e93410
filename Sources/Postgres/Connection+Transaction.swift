extension Connection {
    /// Runs `body` in a transaction. It commits when `body` returns and rolls back when `body` throws. No other caller
    /// uses the connection meanwhile. For migrations; the pipeline sends its statements in one flight.
    ///
    /// - Parameters:
    ///   - settings: Settings for this transaction only.
    ///   - timeout: The time limit of each statement. Nil: the configuration's.
    /// - Throws: What `body` throws. `rolledBack` if `body` ignored a statement's error and returned.
    public func transaction<T: Sendable>(
        settings: [(String, String)] = [],
        timeout: Duration? = nil,
        _ body: @Sendable (Transaction) async throws -> T
    ) async throws -> T {
        try await transaction(Self.begin, settings: settings, timeout: timeout, body)
    }

    /// Runs `body` in a transaction that only reads one snapshot (REPEATABLE READ READ ONLY). Keep it short: meanwhile
    /// VACUUM removes no row version that died since.
    ///
    /// Parameters and errors are those of `transaction`.
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
            [begin, self.settings(settings, timeout)],
            timeout + Self.grace,
            leavingTransaction: true
        )
        do {
            let value = try await body(transaction)
            let answer = try flight([Self.commit], timeout + Self.grace)
            try Self.checkCommitted(answer[0])
            return value
        } catch {
            // Does nothing if the commit failed or the connection is lost. Otherwise it ends the transaction.
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
