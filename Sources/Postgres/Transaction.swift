/// An interactive transaction for the body of `Connection.transaction`. Don't call the connection itself in the body:
/// it waits for the transaction's end.
public struct Transaction: Sendable {
    let connection: Connection
    let id: UInt64
    let timeout: Duration

    /// Runs one statement.
    ///
    /// - Throws: As `Connection.run`. After an error the transaction can only roll back. `transactionEnded` after its
    ///   end.
    public func run(_ statement: Statement) async throws(PostgresError) -> Rows {
        try await connection.run([statement], in: self)[0]
    }

    /// Runs the statements in one flight.
    public func run(_ statements: [Statement]) async throws(PostgresError) -> [Rows] {
        try await connection.run(statements, in: self)
    }

    /// Runs one statement that may fail. If the server refuses it, the transaction continues in the state before the
    /// statement.
    ///
    /// - Throws: As `run`. The transaction ends only if the connection is lost.
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

    /// Runs several statements without parameters with the simple protocol.
    public func execute(script: String, name: String = "script") async throws(PostgresError) {
        try await connection.execute(script, name, in: self)
    }
}
