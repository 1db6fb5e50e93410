import Postgres
import TestSupport
import Testing

@testable import Core

/// `nudged migrate --sql`.
@Suite(.ownThreads) struct MigrationScriptTests {
    /// Everything of nudged's schemas and of the app's tables, as the catalog has it, and what the migrations insert.
    private static let catalog = """
        select 'relation', c.oid::regclass, c.relkind, c.relowner::regrole, c.relacl, c.relrowsecurity, c.reloptions, obj_description(c.oid, 'pg_class')
        from pg_class c where c.relnamespace in ('nudged'::regnamespace, 'public'::regnamespace) and not c.relispartition and c.relkind <> 'i';
        select 'column', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum)
        from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where c.relnamespace in ('nudged'::regnamespace, 'public'::regnamespace) and not c.relispartition and a.attnum > 0;
        select 'view', viewname, definition from pg_views where schemaname = 'nudged';
        select 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid) from pg_constraint
        where connamespace in ('nudged'::regnamespace, 'public'::regnamespace)
            and conrelid not in (select inhrelid from pg_inherits);
        select 'index', indexdef from pg_indexes where schemaname in ('nudged', 'public') and indexname !~ '[0-9]{8}';
        select 'trigger', tgrelid::regclass, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal;
        select 'policy', schemaname, tablename, policyname, roles, cmd, qual, with_check from pg_policies;
        select 'function', p.oid::regprocedure, p.proowner::regrole, p.proacl, obj_description(p.oid, 'pg_proc'), md5(pg_get_functiondef(p.oid))
        from pg_proc p where p.pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace);
        select 'schema', nspname, nspowner::regrole, nspacl, obj_description(oid, 'pg_namespace') from pg_namespace where nspname like 'nudged%';
        select 'migration', number, name, checksum, oldest from nudged.migration;
        select 'right', r.* from nudged.role_right r;
        select 'template', t.* from nudged.template t;
        select 'rows', (select count(*) from nudged.range), (select count(*) from nudged.setting), (select count(*) from nudged.own_table);
        """

    @Test func script_whenAppliedAsOne_isWhatMigrateDoes() async throws {
        let migrated = try await F()
        let scripted = try await F(migrated: false)
        try scripted.sql("begin; \(Migration.script()) commit")
        let found = try scripted.lines(Self.catalog).sorted()
        #expect(found == (try migrated.lines(Self.catalog).sorted()))
        #expect(found.count > 300)
        #expect(try await scripted.schemaState() == .current)
        #expect(try await scripted.migrate().isEmpty)
    }

    /// Supabase and others send statement by statement.
    @Test func script_whenSplit_isAppliedStatementByStatement() async throws {
        let fixture = try await F(migrated: false)
        let connection = try await fixture.connection()
        let statements = Migration.statements(of: Migration.script())
        try await connection.transaction(timeout: .seconds(60)) { transaction in
            for statement in statements { try await transaction.execute(script: statement) }
        }
        await connection.close()
        #expect(try await fixture.schemaState() == .current)
    }

    /// As `nudged migrate` does.
    @Test func script_whenAMigratorIsAtWork_waitsForIt() async throws {
        let fixture = try await F(migrated: false)
        let last = Migration.newest - 1
        try await fixture.migrate(upTo: last)
        let applying = try await fixture.holding(Migrator.lock.sql) {
            let task = Task { try fixture.sql("begin; \(Migration.script(after: last)) commit") }
            try await fixture.untilSomebodyWaits()
            return task
        }
        _ = try await applying.value
        #expect(try await fixture.schemaState() == .current)
    }

    /// The tools do that; Flyway would replace `${`.
    @Test func script_always_holdsNoTransactionNoMetaCommandNoPlaceholder() {
        let script = Migration.script()
        for line in Migration.statements(of: script) {
            let code = line.split(separator: "\n").drop { $0.hasPrefix("--") || $0.isEmpty }.first ?? ""
            let first = code.lowercased().split { $0 == " " || $0 == ";" }.first ?? ""
            #expect(!["begin", "commit", "rollback", "start", "end"].contains(String(first)), "\(code)")
        }
        #expect(!script.split(separator: "\n").contains { $0.hasPrefix("\\") } && !script.contains("${"))
    }

    @Test func script_whenAfterAMigration_hasTheLaterOnesOnly() async throws {
        let fixture = try await F(migrated: false)
        try await fixture.migrate(upTo: 6)
        try fixture.sql("begin; \(Migration.script(after: 6, usesTemplates: true)) commit")
        #expect(try await fixture.schemaState() == .current)
        #expect(try fixture.sql("select count(*) from nudged.template where active") == "6")
        #expect(Migration.script(after: Migration.newest).hasPrefix("-- nudged has no migration after"))
    }

    /// What `nudged migrate` says that it creates.
    @Test func count_whenMigrated_isTheCatalogs() async throws {
        let fixture = try await F()
        func counted(_ kind: String) -> Int { Migration.all.reduce(0) { $0 + $1.count(creating: kind) } }
        let catalog = try fixture.sql(
            """
            select count(*) filter (where relkind in ('r', 'p') and not relispartition) - 1, count(*) filter (where relkind = 'v'),
                (select count(*) from pg_proc
                    where pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace, 'nudged_me'::regnamespace))
            from pg_class where relnamespace = 'nudged'::regnamespace
            """
        )
        #expect(catalog == "\(counted("table"))|\(counted("view"))|\(counted("function"))")
    }
}
