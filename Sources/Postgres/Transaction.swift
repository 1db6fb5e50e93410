/// An interactive transaction, lent to the body of `Connection.transaction`. Don't call the connection itself there: it
/// waits for the transaction's end.
public struct Transaction: Sendable {
    let connection: Connection
    let id: UInt64
    let timeout: Duration

    /// Runs one statement.
    ///
    /// - Throws: as `Connection.run`; after an error the transaction can only roll back. `transactionEnded` after its end.
    public func run(_ statement: Statement) async throws(PostgresError) -> Rows {
        try await connection.run([statement], in: self)[0]
    }

    /// Runs the statements in one flight.
    public func run(_ statements: [Statement]) async throws(PostgresError) -> [Rows] {
        try await connection.run(statements, in: self)
    }

    /// Runs several statements without parameters by the simple protocol.
    public func execute(script: String, name: String = "script") async throws(PostgresError) {
        try await connection.execute(script, name, in: self)
    }
}
