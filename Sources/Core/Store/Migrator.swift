package import Postgres

/// Brings a database to the newest schema. Each migration is a transaction of its own, under a lock.
package struct Migrator: Sendable {
    package enum SchemaState: Sendable, Equatable {
        case current
        /// These are to be applied. If they are all: no migration was applied yet. Usable: this version works without.
        case behind([Migration], isUsable: Bool = false)
        /// A newer version migrated the database, and this one can work with it: a rolling upgrade.
        case newer(newest: Int32)
        /// A newer version migrated the database, and this one can't work with it.
        case ahead(newest: Int32)
        /// A migration was applied with another text.
        case changed(number: Int32)
        /// Row-level security hides rows from this role, or from the owner of the views.
        case hidden
        /// Views of nudged read other tables than those of nudged's names.
        case misbound([BindingFault])

        /// Whether this version can work with it.
        package var isUsable: Bool {
            switch self {
            case .current, .newer: true
            case .behind(_, let isUsable): isUsable
            case .ahead, .changed, .hidden, .misbound: false
            }
        }
    }

    let database: Database
    var patience = LockPatience()
    /// A migration may wait for the app's transactions, and inserts a row for every user that the app has.
    static let timeout = Duration.seconds(3600)

    /// - Parameter onFailure: called for each failed attempt to connect; attempts go on.
    package init(configuration: ConnectionConfiguration, onFailure: @escaping Database.FailureReport = { _ in }) {
        database = Database(configuration, onFailure: onFailure)
    }

    package func close() async { await database.close() }

    /// Compares the database with `Migration.all`.
    package func schemaState() async throws(PostgresError) -> SchemaState {
        try await Self.schemaState(try await database.connection())
    }

    /// The same in one attempt, on a connection of its own.
    package static func schemaState(_ target: ConnectionConfiguration) async throws(PostgresError) -> SchemaState {
        try await Connection.once(target) { (one) async throws(PostgresError) in try await schemaState(one) }
    }

    /// Reads what `migrate` would find, in one attempt, on a connection of its own.
    package static func survey(_ configuration: ConnectionConfiguration) async throws(PostgresError) -> SetUpFacts {
        try await Connection.once(configuration, SetUpFacts.read)
    }

    /// Applies what is pending. Returns what was applied, in order. `onHeld` is called for each attempt that gave up
    /// because a table was locked. After about two minutes: error 55P03. Migrations that were applied before it stay.
    package func migrate(onHeld: (PostgresError) -> Void = { _ in }) async throws(PostgresError) -> [Migration] {
        let connection = try await database.connection()
        var applied: [Migration] = []
        for migration in Migration.all {
            var attempt = 1
            var hasCollided = false
            var isDone = false
            while !isDone {
                do throws(PostgresError) {
                    if try await apply(migration, on: connection) { applied.append(migration) }
                    isDone = true
                } catch {
                    if !hasCollided, Self.isCollision(error) {
                        hasCollided = true
                        continue
                    }
                    guard error.sqlState == "55P03", attempt < patience.attempts else { throw error }
                    attempt += 1
                    onHeld(error)
                    try? await Task.sleep(for: patience.pause)
                }
            }
        }
        return applied
    }

    /// Lets check-ins use the built-in templates of `sql/0007_templates_and_operations.sql`. They are inactive at first.
    package func activateTemplates() async throws(PostgresError) {
        let connection = try await database.connection()
        _ = try await connection.run(Statement("templates_active", sql: Self.templateActivation))
    }

    package func excessRights() async throws(PostgresError) -> [ExcessRight] {
        try await ExcessRight.visible(try await database.connection())
    }

    /// Gives each role exactly its rights, as far as this role can. 42501: it is not the owner of schema nudged.
    package func grantRoles() async throws(PostgresError) {
        _ = try await patiently(Statement("grant_roles", sql: "select nudged.grant_roles()"))
    }

    private func patiently(_ statement: Statement) async throws(PostgresError) -> Rows {
        let wait = ("lock_timeout", "\(patience.wait / .milliseconds(1))")
        return try await database.connection().transaction([statement], settings: [wait], timeout: Self.timeout)[0]
    }

    package func bindingFaults() async throws(PostgresError) -> [BindingFault] {
        try await Self.bindingFaults(try await database.connection())
    }

    package static func bindingFaults(_ connection: Connection) async throws(PostgresError) -> [BindingFault] {
        try await connection.run(Query.bindingFaults()).decoded(BindingFault.init)
    }

    /// Binds views and triggers again, and gives each role its rights. Returns what was done. 42501: this role is not
    /// the owner of nudged's schema and of the app's tables.
    package func bind() async throws(PostgresError) -> [String] {
        try await patiently(Statement("bind", sql: "select nudged.bind()")).decoded { (done: String) in done }
    }

    /// The roles of `sql/0006_roles.sql` that are missing, and those without rights: made after the migration.
    package func rolesWanting() async throws(PostgresError) -> (missing: [String], bare: [String]) {
        let rows = try await database.connection().run(Query.rolesWanting())
        let roles = try rows.decoded { (name: String, exists: Bool) in (name: name, exists: exists) }
        return (roles.filter { !$0.exists }.map(\.name), roles.filter(\.exists).map(\.name))
    }

    /// One lock for all migrators. A second one waits at its first migration, then finds each of them applied. Only the
    /// owner can hold it: other roles may at most read the table, which doesn't conflict.
    static let lock = Statement("migration_lock", sql: "lock table nudged.migration in share row exclusive mode")

    /// What is there before the first migration.
    static let preparation = """
        create schema if not exists nudged;
        create table if not exists nudged.migration (
            number integer primary key, name text not null, checksum bigint not null,
            applied_at timestamptz not null default now(), oldest integer
        );
        """

    private static let preparationName = "migration_preparation"

    static let templateActivation = "update nudged.template set active = true where id between 1 and 6"

    /// In a database without schema nudged, another migrator has made the schema or the table at the same moment: `if
    /// not exists` doesn't see what is not committed. Now it is there.
    private static func isCollision(_ error: PostgresError) -> Bool {
        // unique_violation, duplicate_schema, duplicate_table, duplicate_object (the table's type)
        error.statement == preparationName && ["23505", "42P06", "42P07", "42710"].contains(error.sqlState)
    }

    private func apply(_ migration: Migration, on connection: Connection) async throws(PostgresError) -> Bool {
        // For this transaction. It is set after `lock` is held, so that it waits for another migrator without a limit.
        let (wait, limit) = (patience.wait / .milliseconds(1), "select set_config('lock_timeout', $1, true)")
        let lockTimeout = Statement("migration_lock_timeout", sql: limit, parameters: [.text("\(wait)")])
        let (number, find) = (Parameter.int4(migration.number), "select 1 from nudged.migration where number = $1")
        let known = Statement("migration_known", sql: find, parameters: [number])
        let applied = Statement(
            "migration_applied",
            sql: "insert into nudged.migration (number, name, checksum, oldest) values ($1, $2, $3, $4)",
            parameters: [number, .text(migration.name), .int8(migration.checksum), .int4(migration.oldest)]
        )
        do {
            return try await connection.transaction(timeout: Self.timeout) { transaction in
                try await transaction.execute(script: Self.preparation, name: Self.preparationName)
                _ = try await transaction.run(Self.lock)
                _ = try await transaction.run(lockTimeout)
                guard try await transaction.run(known).count == 0 else { return false }
                for statement in Migration.statements(of: migration.script) {
                    try await transaction.execute(script: statement, name: migration.name)
                }
                _ = try await transaction.run(applied)
                return true
            }
        } catch { throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: migration.name) }
    }

    package static func schemaState(
        _ connection: Connection,
        needed: Int32 = Migration.needed
    ) async throws(PostgresError) -> SchemaState {
        let exists = Statement("migration_table", sql: "select to_regclass('nudged.migration') is not null")
        guard try await connection.run(exists).bool(0, 0) else { return .behind(Migration.all) }
        let rows = try await connection.run(Query.migrationsApplied()).decoded {
            (number: Int32, sum: Int64, oldest: Int32?) in (number: number, checksum: sum, oldest: oldest ?? 0)
        }
        let applied = Dictionary(rows.map { ($0.number, $0.checksum) }, uniquingKeysWith: { $1 })
        let wanted = rows.map(\.oldest).max() ?? 0
        let (known, newest) = (Migration.newest, applied.keys.max() ?? 0)
        // A migration that only adds doesn't matter to a version that doesn't know it.
        if wanted > known { return .ahead(newest: newest) }
        let pending = Migration.all.filter { applied[$0.number] == nil }
        let changed = Migration.all.first { applied[$0.number] ?? $0.checksum != $0.checksum }
        if let changed { return .changed(number: changed.number) }
        let isEarly = pending.allSatisfy { $0.number > needed }
        // If no migration is visible, row-level security may hide them too.
        if isEarly || applied.isEmpty, try await connection.run(Query.hidden()).bool(0, 0) { return .hidden }
        guard isEarly else { return .behind(pending) }
        if pending.isEmpty, newest > known { return .newer(newest: newest) }
        let faults = try await bindingFaults(connection).filter(\.stops)
        guard pending.isEmpty else { return .behind(pending, isUsable: faults.isEmpty) }
        return faults.isEmpty ? .current : .misbound(faults)
    }
}

/// How long a migration waits for locks. While it waits for one of the app's tables, later sessions wait behind it. So
/// it waits briefly, gives up the request, and tries again after a longer pause, in which the others go on.
struct LockPatience: Sendable {
    var wait = Duration.seconds(1)
    var pause = Duration.seconds(3)
    /// After so many attempts the error is thrown.
    var attempts = 30
}
