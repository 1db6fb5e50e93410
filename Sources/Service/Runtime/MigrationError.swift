package import Postgres

/// The database refused a migration. Nothing of it was applied, and waiting does not help.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    package let cause: PostgresError

    package init(cause: PostgresError) {
        self.cause = cause
    }

    package var description: String {
        "the database refused the migration \(cause.statement ?? ""): \(cause.cause); nothing of it was applied; "
            + "compare with nudged migrate --dry-run and docs/SQL.md, \"The app's tables\""
    }
}
