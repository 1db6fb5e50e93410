import TestSupport
import Testing

@testable import Core

/// The app's tables under Supabase's roles: those that nudged made show a user their own rows, those that were there
/// are left as they are.
@Suite(.ownThreads) struct OwnRowsTests {
    private static let tables = ["context_profiles", "push_tokens"]

    private static let rows = """
        select 'policy', tablename, policyname, roles::text, cmd, qual from pg_policies where schemaname = 'public' order by 2, 3;
        select 'security', relname, relrowsecurity, relforcerowsecurity from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' order by 2;
        select 'right', c.relname, a.grantee::regrole, lower(a.privilege_type) from pg_class c, aclexplode(c.relacl) a
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 2, 3, 4;
        select 'index', indexdef from pg_indexes where schemaname = 'public' order by 2
        """

    @Test(arguments: tables) func user_whenSignedIn_seesAndChangesTheirOwnRows(table: String) async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...3)
        func count(_ condition: String) throws -> String {
            try fixture.sql("select count(*) from public.\(table) where \(condition)")
        }
        let mine = "user_id = \(F.quoted(1))"
        let isDevices = table == "push_tokens"
        let change = isDevices ? "topic = 'mine'" : "timezone = 'mine'"
        // All that they see is their own.
        try fixture.expect(
            "set request.jwt.claims = '{\"sub\": \"\(F.user(1).uuidString)\"}'; set role authenticated; select user_id from public.\(table)",
            F.user(1).uuidString.lowercased()
        )
        // A device is written by nudged_me.register_device only.
        let written = isDevices ? "42501" : "00000"
        #expect(try fixture.perform("authenticated", as: 1, "update public.\(table) set \(change)") == written)
        #expect(try count(change) == (isDevices ? "0" : "1"))
        #expect(try count("\(change) and \(mine)") == (isDevices ? "0" : "1"))
        // Nobody takes a row to somebody else, or makes one for them.
        #expect(
            try fixture.perform("authenticated", as: 1, "update public.\(table) set user_id = \(F.quoted(9))")
                == "42501"
        )
        let insert =
            isDevices ? "(user_id, device_token) values (%, 'ab')" : "(user_id, timezone) values (%, 'UTC')"
        func inserting(_ user: Int) -> String {
            "insert into public.\(table) " + insert.split(separator: "%").joined(separator: F.quoted(user))
        }
        #expect(try fixture.perform("authenticated", as: 1, inserting(2)) == "42501")
        #expect(try fixture.perform("authenticated", as: 9, inserting(9)) == written)
        #expect(try fixture.perform("authenticated", as: 1, "delete from public.\(table)") == "00000")
        #expect(try count(mine) == "0")
        let left = isDevices ? "2" : "3"
        #expect(try count("true") == left)
        // Nobody is signed in: nobody's rows.
        #expect(try fixture.sql("set role authenticated; select count(*) from public.\(table)") == "0")
        #expect(try fixture.perform("authenticated", "delete from public.\(table)") == "00000")
        #expect(try fixture.perform("authenticated", inserting(1)) == "42501")
        let others = ["select 1 from public.\(table)", "delete from public.\(table)", "truncate public.\(table)"]
        for statement in others + [inserting(1)] {
            #expect(try fixture.perform("anon", as: 2, statement) == "42501", "\(statement)")
        }
        #expect(try count("true") == left)
    }

    /// Alike to the last column those that nudged makes, row-level security and all: still not ours. Only nudged_writer
    /// gets rights, since it registers the devices.
    @Test func tables_whenTheyWereThere_areNotChanged() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            F.supabase + """
                create table public.context_profiles (
                    user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean not null default false, timezone text
                );
                create table public.push_tokens (
                    id uuid not null default gen_random_uuid(), user_id uuid not null, device_token text not null, platform text not null default 'ios',
                    created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
                    environment text, topic text, primary key (user_id, id), unique (user_id, device_token)
                );
                alter table public.context_profiles enable row level security;
                alter table public.push_tokens enable row level security;
                """
        )
        let before = try fixture.lines(Self.rows)
        let writers = Set(
            ["policy|push_tokens|nudged_writer|{nudged_writer}|ALL|true"]
                + ["select", "insert", "update", "delete"].map { "right|push_tokens|nudged_writer|\($0)" }
        )
        for _ in 1...2 {
            try await fixture.migrate()
            try fixture.sql("select nudged.grant_roles()")
            let after = try fixture.lines(Self.rows)
            #expect(after.filter { !writers.contains($0) } == before)
            #expect(writers.isSubset(of: after))
        }
        try fixture.expect(
            "select role, object from nudged.role_right where object like '%public%'",
            ["nudged_writer|public.push_tokens"]
        )
        // Until the owner says that they are.
        for table in Self.tables {
            try fixture.sql("select nudged.allow('authenticated', 'select, insert, update, delete', 'public.\(table)')")
        }
        #expect(try fixture.lines(Self.rows).count { $0.contains("nudged_own_rows") } == 2)
    }

    /// One was there, the other was made.
    @Test func tables_whenOneWasThere_areToldApart() async throws {
        let fixture = try await F.onSupabase(before: "create table public.context_profiles (user_id uuid primary key);")
        try fixture.expect("select distinct tablename from pg_policies where schemaname = 'public'", ["push_tokens"])
        #expect(try fixture.sql("select count(*) from pg_indexes where indexname = 'push_tokens_device_token'") == "1")
    }

    /// Supabase's parts came after the migration: `grant_roles` finds what was made then.
    @Test func tables_whenAuthComesLater_areOpenedByGrantRoles() async throws {
        let fixture = try await F()
        try fixture.sql(F.supabase)
        try fixture.seed(1...2)
        #expect(try fixture.sql("select count(*) from pg_policies where policyname = 'nudged_own_rows'") == "0")
        try fixture.sql("select nudged.grant_roles()")
        try fixture.expect(
            "set request.jwt.claim.sub = \(F.quoted(2)); set role authenticated; select user_id from public.push_tokens",
            F.user(2).uuidString.lowercased()
        )
    }
}

/// A function of the reader's own that costs nothing runs before a view's condition, unless the view is a barrier. Then
/// it would see the rows that the view leaves out.
@Suite(.ownThreads) struct HiddenRowTests {
    @Test func views_always_areBarriers() async throws {
        let fixture = try await F()
        let views = "select relname from pg_class where relnamespace = 'nudged'::regnamespace and relkind = 'v'"
        #expect(try fixture.lines(views).count >= 9)
        #expect(try fixture.lines("\(views) and not coalesce('security_barrier=true' = any (reloptions), false)") == [])
    }

    @Test(arguments: [("device", "token"), ("stale_token", "device_hash")])
    func rows_whenAViewLeavesThemOut_areSeenByNoFunctionOfTheReader(view: String, column: String) async throws {
        let fixture = try await F()
        let reader = "reader_\(fixture.name)"
        try fixture.sql(
            """
            create role \(reader);
            grant usage on schema nudged to \(reader); grant select on nudged.\(view) to \(reader);
            insert into public.push_tokens (user_id, device_token, platform)
            values (\(F.quoted(1)), 'shown', 'ios'), (\(F.quoted(1)), 'hidden', 'android');
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, status, attempted_at, sweep_id)
            select \(F.quoted(1)), 'message', 'k', v.hash, 'rejected', v.status, now(), gen_random_uuid()
            from (values ('shown', 410), ('hidden', 400)) as v (hash, status);
            """
        )
        let seen = try fixture.lines(
            """
            set enable_indexscan = off; set enable_bitmapscan = off; set role \(reader);
            create function pg_temp.peek(value text) returns boolean language plpgsql cost 0.0000001 as $f$
            begin
                perform set_config('test.seen', concat_ws(' ', current_setting('test.seen', true), value), false);
                return true;
            end $f$;
            select count(*) from nudged.\(view) where pg_temp.peek(\(column));
            select current_setting('test.seen')
            """
        )
        #expect(seen == ["1", "shown"])
    }
}
