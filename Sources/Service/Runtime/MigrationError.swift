package import Postgres

/// A migration that the database refuses: nothing of it was applied, and waiting changes nothing.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    package let cause: PostgresError

    package init(cause: PostgresError) {
        self.cause = cause
    }

    /// What was refused, and what to do.
    package var description: String {
        let state = cause.sqlState.map { " (\($0) \(cause.condition ?? ""))" } ?? ""
        return "the database refused the migration \(cause.statement ?? "")\(state): nothing of it was applied; "
            + "a table that the app has brought differs from what README.md lists under \"What your app writes\": "
            + "its columns must have those names, user_id must be a uuid, and first_session_complete a boolean"
    }
}
