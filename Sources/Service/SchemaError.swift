package import Core
package import Postgres

/// This version can't work with the database's schema.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    package let schemaState: Migrator.SchemaState

    package init(schemaState: Migrator.SchemaState) { self.schemaState = schemaState }

    package var description: String { schemaState.text }
}

/// The database refused a migration. Nothing of it was applied, and waiting does not help.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    package let cause: PostgresError

    package init(cause: PostgresError) { self.cause = cause }

    package var description: String {
        "the database refused the migration \(cause.statement ?? ""): \(cause.cause); nothing of it was applied; "
            + "compare with nudged migrate --dry-run and docs/TABLES.md, \"The app's tables\""
    }
}

extension Migrator.SchemaState {
    package var text: String {
        switch self {
        case .current: "the schema is current"
        case .behind(let pending, false):
            pending.count == Migration.all.count
                ? "the database has no schema nudged yet: run nudged migrate"
                : "\(Elapsed.counted(pending.count, "migration is", "migrations are")) pending: run nudged migrate"
        case .behind(let pending, true):
            "\(Elapsed.counted(pending.count, "migration is", "migrations are")) pending, and this version can work without"
                + ": run nudged migrate when convenient"
        case .newer(let newest):
            "a newer nudged has migrated the database (migration \(newest)), and this version can work with it: "
                + "upgrade nudged here when convenient"
        case .ahead(let newest):
            "a newer nudged has migrated the database (migration \(newest)): install that version here"
        case .hidden:
            "row-level security hides tables of nudged or of the app from this role: connect as nudged_daemon, "
                + "and run nudged migrate as the role that owns the app's tables (docs/TABLES.md)"
        case .misbound(let faults):
            "\(faults[0].text): \(faults[0].remedy)"
        case .changed(let number):
            "migration \(number) was applied with another text than this version's: "
                + "install the version that applied it"
        }
    }
}
