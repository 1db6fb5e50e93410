import LocalPostgres
import Postgres

@testable import Store

/// Databases with the roles of an app, and statements tried under each.
extension StoreFixture {
    /// What Supabase brings: its roles, its own rights on new tables, and `auth.uid()`. Roles belong to the cluster, on which other tests make the same.
    static let supabase = """
        do $$ declare wanted text; begin
            foreach wanted in array array['authenticated', 'anon'] loop
                begin
                    if not exists (select from pg_roles where rolname = wanted) then execute format('create role %I nologin', wanted); end if;
                exception when duplicate_object or unique_violation then null;
                end;
            end loop;
        end $$;
        create schema auth;
        create function auth.uid() returns uuid language sql stable as $$
            select coalesce(
                nullif(current_setting('request.jwt.claim.sub', true), ''),
                nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid
        $$;
        grant usage on schema auth to authenticated, anon;
        alter default privileges in schema public grant all on tables to authenticated, anon;
        """

    /// A statement under a role, as a user: carried out and undone, and its SQLSTATE. `keeps`: not undone where it went well.
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
        let fixture = try await StoreFixture(migrated: false)
        try fixture.sql(supabase + setup)
        try await fixture.migrate()
        try fixture.sql(attempt)
        return fixture
    }

    func migrate() async throws {
        let migrator = Migrator(configuration: configuration)
        _ = try await migrator.migrate()
        await migrator.close()
    }

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

    func prepareAttempts() throws { try sql(Self.attempt) }

    /// What came of a statement.
    struct Attempt {
        let state: String
        let message: String
        /// Hint, detail and context.
        let more: String
    }

    /// Tries a statement under a role, as a signed-in user where one is named.
    func attempt(_ role: String, as user: Int? = nil, _ statement: String, keeps: Bool = false) throws -> Attempt {
        let who = user.map(Self.quoted) ?? "''"
        let line = try sql(
            "select state, message, replace(more, E'\\n', ' ') from public.attempt('\(role)', \(who), $try$\(statement)$try$, \(keeps))"
        )
        let parts = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        return Attempt(state: parts[0], message: parts.count > 1 ? parts[1] : "", more: parts.count > 2 ? parts[2] : "")
    }

    /// Does it, and keeps what it did. Returns the SQLSTATE.
    func perform(_ role: String, as user: Int? = nil, _ statement: String) throws -> String {
        try attempt(role, as: user, statement, keeps: true).state
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "c0ffee" + String(repeating: "0", count: 58 - digits.count) + digits
    }
}
