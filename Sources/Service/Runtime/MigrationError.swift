package import Postgres

/// The database refused a migration. Nothing of it was applied, and waiting does not help.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    package let cause: PostgresError

    package init(cause: PostgresError) {
        self.cause = cause
    }

    package var description: String {
        let state = cause.sqlState.map { " (\($0) \(cause.condition ?? ""))" } ?? ""
        return "the database refused the migration \(cause.statement ?? "")\(state): nothing of it was applied; "
            + "a table that the app already had differs from what docs/SQL.md lists under \"The app's tables\": "
            + "its columns must have those names, user_id must be a uuid, and first_session_complete a boolean"
    }
}
