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

    func migrate() async throws {
        let migrator = Migrator(configuration: configuration)
        _ = try await migrator.migrate()
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

    /// What a login is told: the rows, or the server's error with its hint.
    func told(_ login: String, _ script: String) -> String {
        do {
            return try sql("set session authorization \(login); \(script)")
        } catch {
            return "\(error)"
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

    /// The roles of nudged and of Supabase, and PUBLIC, as an array of SQL.
    static let roles =
        "array['nudged_daemon', 'nudged_app', 'nudged_writer', 'anon', 'authenticated', 'service_role', 'public']"

    /// Each right of these roles in both schemas and on the app's tables that nudged created, default privileges
    /// included. It asks PostgreSQL for each right of each object, and so does not depend on `nudged.excess_right`.
    func rights() throws -> [String] {
        try lines(
            """
            with place as (
                select oid, nspname from pg_namespace where nspname in ('nudged', 'nudged_api')
            ), relation as (
                select c.oid, c.oid::regclass::text as name, c.relkind from pg_class c
                where c.relnamespace in (select oid from place) and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
                   or c.oid in (select to_regclass('public.' || o.name) from nudged.own_table o)
            ), holder as (select unnest(\(Self.roles)) as role)
            select h.role, 'schema', p.nspname::text, v from holder h, place p, unnest(array['usage', 'create']) v
            where has_schema_privilege(h.role, p.oid, v)
            union all
            select h.role, 'table', r.name, v from holder h, relation r,
                unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) v
            where r.relkind <> 'S' and has_table_privilege(h.role, r.oid, v)
            union all
            select h.role, 'column', r.name || '.' || a.attname, v from holder h, relation r
            join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped,
                unnest(array['select', 'insert', 'update', 'references']) v
            where r.relkind <> 'S' and has_column_privilege(h.role, r.oid, a.attnum, v) and not has_table_privilege(h.role, r.oid, v)
            union all
            select h.role, 'sequence', r.name, v from holder h, relation r, unnest(array['usage', 'select', 'update']) v
            where r.relkind = 'S' and has_sequence_privilege(h.role, r.oid, v)
            union all
            select h.role, 'call', f.oid::regprocedure::text, 'execute' from holder h, pg_proc f
            where f.pronamespace in (select oid from place) and has_function_privilege(h.role, f.oid, 'execute')
            union all
            select case a.grantee when 0 then 'public' else a.grantee::regrole::text end, 'default', d.defaclobjtype::text || ' in ' || p.nspname, a.privilege_type
            from pg_default_acl d join place p on p.oid = d.defaclnamespace, aclexplode(d.defaclacl) a
            where a.grantee <> d.defaclrole
            order by 1, 2, 3, 4
            """
        )
    }

    /// The statements of `nudged.excess_right`. To compile the query would take a second.
    func excessRights(as role: String = "postgres") throws -> [String] {
        try lines("set jit = off; set role \(role); select statement from nudged.excess_right order by 1")
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
