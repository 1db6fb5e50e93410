import Postgres
import TestSupport

@testable import Core

/// Databases with the roles of an app, and statements tried under each.
extension StoreFixture {
    static let supabase = Supabase.setUp

    /// A statement under a role, as a user: carried out and undone, and its SQLSTATE. `keeps`: not undone if it worked.
    private static let attempt = """
        create function public.attempt(who text, sub text, statement text, keeps boolean, out state text, out message text, out more text)
        language plpgsql as $$
        declare detail text; hint text; context text;
        begin
            perform set_config('request.jwt.claim.sub', sub, true), set_config('role', who, true);
            execute statement;
            perform set_config('role', 'none', true);
            if not keeps then raise exception using errcode = 'UNDUN'; end if;
            state := '00000';
        exception when others then
            get stacked diagnostics state = returned_sqlstate, message = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
                context = pg_exception_context;
            -- Our own statement is in the context, too.
            more := concat_ws(' ', hint, detail, replace(context, statement, '…'));
            if state = 'UNDUN' then state := '00000'; end if;
        end $$;
        """

    /// A migrated database on Supabase.
    static func onSupabase(before setup: String = "") async throws -> StoreFixture {
        let fixture = try await StoreFixture(after: supabase + setup)
        try fixture.sql(attempt)
        return fixture
    }

    /// A migrator does this, and closes.
    func migrating<Value: Sendable>(_ body: @Sendable (Migrator) async throws -> Value) async throws -> Value {
        let migrator = Migrator(configuration: configuration)
        let value = try await body(migrator)
        await migrator.close()
        return value
    }

    func configuration(of user: String) throws -> ConnectionConfiguration {
        try .parse(url: cluster.url(database: name, user: user))
    }

    func migrator(_ user: String = "postgres") throws -> Migrator {
        Migrator(configuration: try configuration(of: user))
    }

    @discardableResult
    func migrate() async throws -> [Migration] { try await migrating { try await $0.migrate() } }

    func bind() async throws -> [String] { try await migrating { try await $0.bind() } }

    func schemaState() async throws -> Migrator.SchemaState { try await Migrator.schemaState(configuration) }

    /// As an earlier version left it.
    func migrate(upTo last: Int32) async throws {
        try sql(
            """
            create schema nudged;
            create table nudged.migration (
                number integer primary key, name text not null, checksum bigint not null, applied_at timestamptz not null default now(), oldest integer
            )
            """
        )
        for migration in Migration.all where migration.number <= last {
            try sql(
                """
                begin;
                \(migration.script);
                insert into nudged.migration (number, name, checksum) values (\(migration.number), '\(migration.name)', \(migration.checksum));
                commit
                """
            )
        }
    }

    /// What Supabase's page "Using Custom Schemas" has one run for a schema that the Data API exposes.
    static func broadGrants(on schema: String, by owner: String = "postgres") -> [String] {
        let roles = "anon, authenticated, service_role"
        return ["grant usage on schema \(schema) to \(roles)"]
            + ["tables", "routines", "sequences"].flatMap { kind in
                [
                    "grant all on all \(kind) in schema \(schema) to \(roles)",
                    "alter default privileges for role \(owner) in schema \(schema) grant all on \(kind) to \(roles)",
                ]
            }
    }

    /// The statements of `nudged.excess_right`. To compile the query would take a second.
    func excessRights() throws -> [String] {
        try lines("set jit = off; select statement from nudged.excess_right order by 1")
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "c0ffee" + String(repeating: "0", count: 58 - digits.count) + digits
    }
}
