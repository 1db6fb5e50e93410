import Foundation
import Postgres
import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct MigrationTests {
    /// A database as an existing project brings it: its own types, keys and rows, and not all of our columns.
    private static let existing = """
        create type public.platform as enum ('ios', 'android', 'web');
        create table public.users (id uuid primary key, email varchar(200));
        create table public.context_profiles (
            id bigint generated always as identity primary key,
            user_id uuid not null unique references public.users (id) on delete cascade,
            notification_preferences json, first_session_complete boolean, timezone varchar(60), mood text default 'fine'
        );
        create table public.push_tokens (
            id uuid primary key default gen_random_uuid(),
            user_id uuid not null references public.users (id) on delete cascade,
            device_token varchar(255) not null, platform public.platform not null default 'ios',
            created_at timestamp not null default now(), updated_at timestamp, app_version text,
            unique (user_id, device_token)
        );
        insert into public.users values (\(F.quoted(1)), 'a@example.com'), (\(F.quoted(2)), null);
        insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
        values (\(F.quoted(1)), '{"check_ins_enabled":true,  "frequency":"daily"}', true, 'Europe/Berlin');
        insert into public.push_tokens (user_id, device_token, created_at) values (\(F.quoted(1)), 'ab', '2026-01-01');
        insert into public.push_tokens (user_id, device_token, platform) values (\(F.quoted(1)), 'cd', 'android');
        """

    @Test func migrations_areTheFilesOfTheFolder() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/sql")
        let files = names.filter { $0.hasSuffix(".sql") }.sorted()
        #expect(Migration.all.map { $0.label + ".sql" } == files)
        for (migration, file) in zip(Migration.all, files) {
            #expect(try migration.script == Checkout.text("sql/\(file)"), "\(migration.label)")
        }
    }

    @Test func migrate_whenDatabaseIsEmpty_appliesAllOnce() async throws {
        let fixture = try await F(migrated: false)
        #expect(try await fixture.schemaState() == .behind(Migration.all))
        #expect(try await fixture.migrate() == Migration.all)
        #expect(try await fixture.schemaState() == .current)
        let before = try shape(fixture)
        #expect(try await fixture.migrate().isEmpty)
        #expect(try shape(fixture) == before)
    }

    @Test func migrate_whenTwoStartAtOnce_appliesEachOnce() async throws {
        let fixture = try await F(migrated: false)
        async let first = fixture.migrate()
        async let second = fixture.migrate()
        async let third = fixture.migrate()
        let all = try await first + second + third
        #expect(all.map(\.number).sorted() == Migration.all.map(\.number))
    }

    /// Each of them would have made the schema and the table.
    @Test func migrate_whenAnotherIsMakingTheSchema_waitsAndGoesOn() async throws {
        let fixture = try await F(migrated: false)
        let migrating = try await fixture.holding(Migrator.preparation) {
            let task = Task { try await fixture.migrate() }
            try await fixture.untilSomebodyWaits()
            return task
        }
        #expect(try await migrating.value == Migration.all)
    }

    /// An advisory lock is anybody's. Migrations take none.
    @Test(.timeLimit(.minutes(10))) func migrate_whenARoleHoldsAdvisoryLocks_goesOn() async throws {
        let fixture = try await F(migrated: false)
        let role = "holder_\(fixture.name)"
        try fixture.sql("create role \(role)")
        let names = ["nudged.migrate", "nudged.maintain_delivery", "nudged.end_reminders task 7"]
        let locks = names.map { "select pg_advisory_lock(hashtextextended('\($0)', 0))" }.joined(separator: "; ")
        try await fixture.holding("set local role \(role); \(locks)") { () async throws -> Void in
            #expect(try await fixture.migrate() == Migration.all)
        }
    }

    /// Other roles may read the table of migrations, and lock it against nobody.
    @Test(.timeLimit(.minutes(10))) func migrate_whenARoleReadsItsTable_goesOn() async throws {
        let fixture = try await F(migrated: false)
        try await fixture.migrate(upTo: Migration.newest - 1)
        let read = "set local role nudged_daemon; select from nudged.migration"
        try await fixture.holding("\(read); lock table nudged.migration in access share mode") {
            () async throws -> Void in
            #expect(try await fixture.migrate() == Array(Migration.all.suffix(1)))
        }
        for mode in ["row share", "row exclusive", "share", "share row exclusive", "access exclusive"] {
            #expect(throws: (any Error).self, "\(mode)") {
                try fixture.sql("begin; set local role nudged_daemon; lock table nudged.migration in \(mode) mode")
            }
        }
    }

    private func impatient(_ fixture: F, attempts: Int) -> Migrator {
        var migrator = Migrator(configuration: fixture.configuration)
        migrator.patience = LockPatience(wait: .milliseconds(50), pause: .milliseconds(10), attempts: attempts)
        return migrator
    }

    @Test func migrate_whenTheAppHoldsATable_givesWayAndTriesAgain() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(Self.existing)
        let migrator = impatient(fixture, attempts: 3)
        try await fixture.holding("lock table public.push_tokens in row exclusive mode") { () async throws -> Void in
            let error = await #expect(throws: PostgresError.self) { try await migrator.migrate() }
            #expect(error?.sqlState == "55P03")
            #expect("\(error as Any)".contains("pg_blocking_pids"))
        }
        // The lock is free again: the same migrator goes on where it was.
        #expect(try await migrator.migrate().isEmpty == false)
        #expect(try await fixture.schemaState() == .current)
    }

    @Test func migrate_whenTheTableIsFreedBetweenTwoAttempts_goesOn() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(Self.existing)
        let held = try await fixture.connection()
        let migrator = impatient(fixture, attempts: 10_000)
        let (heldUp, told) = AsyncStream<Void>.makeStream()
        let (locked, taken) = AsyncStream<Void>.makeStream()
        async let hold: Void = held.transaction { transaction in
            _ = try await transaction.run(Statement("hold", sql: "lock table public.push_tokens in row exclusive mode"))
            taken.yield()
            for await _ in heldUp { break }
        }
        for await _ in locked { break }
        #expect(try await migrator.migrate { _ in told.yield() } == Migration.all)
        try await hold
    }

    /// As a daemon of the next minor version finds the schema of this one, before `nudged migrate`.
    @Test func schemaState_whenOnlyItsOwnMigrationsArePending_isUsable() async throws {
        let fixture = try await F()
        let role = "other_\(fixture.name)"
        try fixture.sql("delete from nudged.migration where number = \(Migration.newest)")
        try fixture.sql("create role \(role) login; grant usage on schema nudged to \(role)")
        try fixture.sql("grant all on all tables in schema nudged to \(role)")
        func state(from needed: Int32, as user: ConnectionConfiguration? = nil) async throws -> Migrator.SchemaState {
            try await Connection.once(user ?? fixture.configuration) {
                (connection) async throws(PostgresError) in
                try await Migrator.schemaState(connection, needed: needed)
            }
        }
        let last = Array(Migration.all.suffix(1))
        #expect(try await state(from: Migration.newest) == .behind(last))
        #expect(try await state(from: Migration.newest - 1) == .behind(last, isUsable: true))
        // Row-level security hides everybody from another role.
        #expect(try await state(from: Migration.newest - 1, as: fixture.configuration(of: role)) == .hidden)
        try fixture.sql("alter table public.push_tokens rename to x; create table public.push_tokens (like x)")
        #expect(try await state(from: Migration.newest - 1) == .behind(last))
        try fixture.sql("drop owned by \(role); drop role \(role)")
    }

    /// Tables whose columns only nudged reads.
    private static let inner = [
        "daemon", "reminder", "bound", "departed", "lease", "lock", "member", "message_key", "migration",
        "own_call", "own_table", "preview", "range", "role_right", "touched",
    ]

    /// Everything that a person meets in psql says what it is: tables, views, the calls of an app, and the functions that
    /// the pages name.
    @Test func objects_always_haveAComment() async throws {
        let fixture = try await F()
        let silent = try fixture.lines(
            """
            select c.relname, a.attname from pg_class c
            left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                and c.relname <> all ('{\(Self.inner.joined(separator: ","))}')
            where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
              and (obj_description(c.oid, 'pg_class') is null or a.attnum is not null and col_description(c.oid, a.attnum) is null)
            union all
            select 'schema', n.nspname from pg_namespace n where n.nspname like 'nudged%' and obj_description(n.oid, 'pg_namespace') is null
            """
        )
        #expect(silent.isEmpty)
        let pages = try ["SQL", "OPERATIONS", "THREATS"].map { try Checkout.text("docs/\($0).md") }.joined()
        let mute = try fixture.lines(
            """
            select p.oid::regproc from pg_proc p
            where p.pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace, 'nudged_me'::regnamespace) and obj_description(p.oid, 'pg_proc') is null
            """
        )
        for call in mute {
            #expect(call.hasPrefix("nudged.") && !pages.contains("\(call)(") && !pages.contains("`\(call)`"), "\(call)")
        }
    }

    @Test func migrate_whenTablesExist_addsTwoColumnsAndSixTriggersOnly() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(Self.existing)
        let before = try shape(fixture, schema: "public")
        let read = """
            select * from public.context_profiles;
            select user_id, device_token, platform, created_at, updated_at from public.push_tokens
            """
        let rows = try fixture.sql(read)
        try await fixture.migrate()
        let after = try shape(fixture, schema: "public")
        #expect(Set(before).subtracting(after).isEmpty)
        let added = Set(after).subtracting(before)
        let columns = ["environment", "topic"].map { "column|push_tokens|\($0)|text|f" }
        #expect(added.filter { $0.hasPrefix("column") }.sorted() == columns)
        #expect(added.count { $0.hasPrefix("trigger") } == 6 && added.count == 8)
        try fixture.expect(read, rows)
    }

    /// Columns, constraints, indexes, triggers, row security of a schema.
    private func shape(_ fixture: F, schema: String = "nudged") throws -> [String] {
        try fixture.lines(
            """
            select 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull
            from pg_attribute a join pg_class c on c.oid = a.attrelid
            where c.relnamespace = '\(schema)'::regnamespace and a.attnum > 0 and c.relkind in ('r', 'p', 'v') order by 1, 2, 3;
            select 'constraint', conrelid::regclass, pg_get_constraintdef(oid) from pg_constraint where connamespace = '\(schema)'::regnamespace order by 2, 3;
            select 'index', indexdef from pg_indexes where schemaname = '\(schema)' order by 2;
            select 'trigger', tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where not tgisinternal and c.relnamespace = '\(schema)'::regnamespace order by 2;
            select 'security', relname, relrowsecurity, relforcerowsecurity from pg_class where relnamespace = '\(schema)'::regnamespace order by 2
            """
        )
    }
}
