import TestSupport
import Testing

@testable import Core

/// Supabase's page on custom schemas has one grant everything in a schema to anon, authenticated and service_role. What
/// each of them can do then, on `nudged_api` alone and on `nudged` too, and after the rights were taken back.
@Suite(.ownThreads) struct BroadGrantTests {
    /// Who can make a call of `nudged_api`.
    private enum Caller {
        /// A role that `nudged.allow` gave it to.
        case backend
        /// A user whom `auth.uid()` names.
        case signedIn
        /// Everybody: it reads and writes no table.
        case anyone
        /// A trigger only.
        case trigger
    }

    private static func caller(of call: String) -> Caller? {
        switch call {
        case "nudged_api.preferences_fault": .anyone
        case "nudged_api.cancel_subject_reminders": .trigger
        default: RightsTests.calls[call].map { $0.contains("authenticated") ? .signedIn : .backend }
        }
    }

    private static let supabaseRoles = ["anon", "authenticated", "service_role"]

    /// A database with a user, whose device is known, after these statements.
    private static func fixture(after grants: [String]) async throws -> F {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        try fixture.sql(grants.joined(separator: ";"))
        return fixture
    }

    /// The SQLSTATE of every call, with nulls for all arguments.
    private static func states(_ fixture: F, as user: Int?) throws -> [(call: String, role: String, state: String)] {
        let sub = user.map(F.quoted) ?? "''"
        return try fixture.lines(
            """
            select format('%s.%s', pronamespace::regnamespace, proname), role, (public.attempt(role, \(sub), format('select %s(%s)', oid::regproc, (
                select string_agg('null::' || format_type(t, null), ', ' order by place)
                from unnest(proargtypes) with ordinality as a (t, place)
            )), false)).state
            from pg_proc, unnest('{\(supabaseRoles.joined(separator: ","))}'::text[]) role
            where pronamespace in ('nudged_api'::regnamespace, 'nudged_me'::regnamespace)
            """
        ).map { line in
            let parts = line.split(separator: "|").map(String.init)
            return (call: parts[0], role: parts[1], state: parts[2])
        }
    }

    /// Call by call, signed in and not: the grants open nothing to anon and authenticated.
    @Test(arguments: [Int?.none, 1]) func calls_whenAllOfTheAPIWasGranted_stayWithBackends(user: Int?) async throws {
        let schemas = ["nudged_api", "nudged_me"]
        let fixture = try await Self.fixture(after: schemas.flatMap { F.broadGrants(on: $0) })
        let states = try Self.states(fixture, as: user)
        #expect(states.count > 100)
        for (call, role, state) in states {
            switch Self.caller(of: call) {
            case .backend?:
                #expect((state == "42501") == (role != "service_role"), "\(call) \(role): \(state)")
            case .signedIn?:
                // 22023, ND013: it asks for a token or a device, since it knows the user.
                #expect((state == "28000") == (user == nil), "\(call) \(role): \(state)")
            case .anyone?: #expect(state == "00000", "\(call) \(role): \(state)")
            case .trigger?: #expect(state == "0A000", "\(call) \(role): \(state)")
            case nil: Issue.record("\(call): say in RightsTests who can make it")
            }
        }
    }

    /// Calls that would do something, by those who may not and by the backend.
    @Test func calls_whenAllOfTheAPIWasGranted_doNothingForOthers() async throws {
        let fixture = try await Self.fixture(after: F.broadGrants(on: "nudged_api"))
        let user = F.quoted(2)
        let calls = [
            "select (nudged_api.send(\(user), 'a', 'b')).id",
            "select nudged_api.send_many(array[\(user)]::uuid[], 'a', 'b')",
            "select nudged_api.send_many('[{\"user_id\": \"\(F.user(2).uuidString)\", \"title\": \"a\"}]')",
            "select nudged_api.set_reminder(\(user), 'task', '1', 'a', 'b', due_at => now() + interval '1 day')",
            "select nudged_api.touch(\(user))",
            "select nudged_api.register_device(\(user), '\(F.token(7))')",
            "select nudged_api.cancel_messages(title => 'a')", "select nudged_api.cancel_reminders(null, 'task', '1')",
            "select nudged_api.unregister_device(\(user), '\(F.token(7))')",
            "select (nudged_api.forget(\(user))).done",
        ]
        let state = """
            select (select count(*) from nudged.person), (select count(*) from nudged.message),
                (select count(*) from nudged.occurrence), (select count(*) from nudged.touched),
                (select count(*) from nudged.delivery), (select count(*) from public.push_tokens)
            """
        let before = try fixture.sql(state)
        for role in ["anon", "authenticated"] {
            for call in calls {
                let answer = try fixture.attempt(role, as: 1, call, keeps: true)
                #expect(answer.state == "42501" && answer.message.contains("\(role) is no backend"), "\(answer)")
                #expect(answer.more.contains("select nudged.grant_roles()"), "\(answer)")
            }
        }
        #expect(try fixture.sql(state) == before)
        for call in calls { #expect(try fixture.perform("service_role", call) == "00000", "\(call)") }
        #expect(try fixture.sql("select count(*) from nudged.person where user_id = \(user)") == "0")
        // A signed-in user still acts for themselves, and for nobody else.
        let register = "select nudged_me.register_device('\(F.token(8))', environment => 'sandbox')"
        #expect(try fixture.perform("authenticated", as: 1, register) == "00000")
        try fixture.expect(
            "select user_id from public.push_tokens where device_token = '\(F.token(8))'",
            F.user(1).uuidString.lowercased()
        )
        #expect(try fixture.perform("anon", register) == "42501")
    }

    // MARK: Taking back

    /// The page's narrower statements of 2026.
    private static func narrowerGrants(on schema: String) -> [String] {
        [
            "grant usage on schema \(schema) to anon, authenticated, service_role",
            "grant select on all tables in schema \(schema) to anon",
            "grant select, insert, update, delete on all tables in schema \(schema) to authenticated",
            "grant all on all tables in schema \(schema) to service_role",
            "grant usage, select on all sequences in schema \(schema) to authenticated",
            "alter default privileges for role postgres in schema \(schema) grant select on tables to anon",
            "alter default privileges for role postgres in schema \(schema) grant all on tables to service_role",
        ]
    }

    private static let publicGrants = [
        // REVOKE names an aggregate as a function, without its `*` and ORDER BY.
        "create or replace aggregate nudged.rows(*) (sfunc = int8inc, stype = int8, initcond = '0')",
        """
        create or replace aggregate nudged.middle(float8 order by float8)
        (sfunc = ordered_set_transition, stype = internal, finalfunc = percentile_cont_float8_final)
        """,
        "grant all on schema nudged, nudged_api to public",
        "grant all on all tables in schema nudged to public",
        "grant all on all routines in schema nudged, nudged_api to public",
        "alter default privileges in schema nudged grant all on tables to public",
    ]

    /// Columns, the app's tables, nudged's roles.
    private static let singleGrants = [
        "grant select (user_id, title) on nudged.message to authenticated",
        "grant update (due_at) on nudged.person to public",
        "grant select (token), references (token) on nudged.device to anon",
        "grant all on public.push_tokens, public.context_profiles to anon, authenticated",
        "grant insert (device_token) on public.push_tokens to public",
        "grant update, delete on nudged.delivery to nudged_daemon",
        "grant select on nudged.message to nudged_app, nudged_writer",
        "grant usage on schema nudged to nudged_writer",
        "grant execute on function nudged_api.forget(uuid) to authenticated with grant option",
        // A backend that may give its right to others, and did.
        "grant execute on function nudged_api.touch(uuid) to service_role with grant option",
        "set role service_role", "grant execute on function nudged_api.touch(uuid) to anon", "reset role",
    ]

    /// What somebody may have run.
    private static let grants: [[String]] = [
        F.broadGrants(on: "nudged_api"),
        F.broadGrants(on: "nudged_api") + F.broadGrants(on: "nudged"),
        narrowerGrants(on: "nudged_api") + narrowerGrants(on: "nudged"),
        publicGrants,
        singleGrants,
    ]

    /// What an operator runs.
    private enum Remedy: CaseIterable {
        /// Each statement that `nudged doctor` names.
        case doctorsStatements
        case takeBackRights
        case grantRoles
    }

    @Test(arguments: grants.indices) func rights_whenTakenBack_areThoseThatWereDecided(index: Int) async throws {
        let statements = Self.grants[index].joined(separator: ";")
        let fixture = try await F.onSupabase()
        let decided = try fixture.rights()
        #expect(try fixture.excessRights().isEmpty)
        for remedy in Remedy.allCases {
            try fixture.sql(statements)
            #expect(try fixture.rights() != decided, "\(remedy)")
            let excess = try fixture.excessRights()
            #expect(!excess.isEmpty)
            // The daemon's role sees the same as the owner.
            #expect(try fixture.excessRights(as: "nudged_daemon") == excess)
            switch remedy {
            case .doctorsStatements: try fixture.sql(excess.joined(separator: ";"))
            case .takeBackRights: #expect(try fixture.sql("select nudged.take_back_rights()") == "\(excess.count)")
            case .grantRoles: try fixture.sql("select nudged.grant_roles()")
            }
            #expect(try fixture.rights() == decided, "\(remedy)")
            #expect(try fixture.excessRights().isEmpty, "\(remedy)")
        }
    }

    /// On schema nudged the same grants do open something: the views have their owner's rights, and TRUNCATE knows no
    /// row-level security. So the page says not to run them there.
    @Test func data_whenAllOfNudgedWasGranted_isOpenUntilItIsTakenBack() async throws {
        let fixture = try await Self.fixture(after: F.broadGrants(on: "nudged"))
        try fixture.sql("select (nudged_api.send(\(F.quoted(2)), 'secret', 'b')).id")
        let statements = [
            "select token from nudged.device", "select preferences from nudged.recipient",
            "select * from nudged.nudge_history", "select * from nudged.message", "truncate nudged.message",
            "delete from nudged.device", "update nudged.device set token = 'ab' where token like '%1'",
            "select nextval('nudged.template_id_seq')",
        ]
        for role in Self.supabaseRoles {
            for statement in statements {
                #expect(try fixture.attempt(role, statement).state == "00000", "\(role): \(statement)")
            }
            #expect(try fixture.sql("set role \(role); select count(*) from nudged.device") == "2")
            // A table of messages shows a row only to a role that bypasses row-level security.
            let messages = try fixture.sql("set role \(role); select count(*) from nudged.message")
            #expect(messages == (role == "service_role" ? "1" : "0"))
        }
        try fixture.sql("select nudged.grant_roles()")
        for role in Self.supabaseRoles {
            for statement in statements {
                #expect(try fixture.attempt(role, statement).state == "42501", "\(role): \(statement)")
            }
        }
        #expect(try fixture.sql("select count(*) from nudged.message") == "1")
    }

    /// What the daemon makes at night: partitions of the record.
    @Test func partitions_whenDefaultPrivilegesWereGranted_haveNoRightsAfterGrantRoles() async throws {
        let fixture = try await Self.fixture(after: F.broadGrants(on: "nudged"))
        let made = """
            do $$ declare p text; begin
                for p in select relname from pg_class where relname ~ '^delivery_2' and relkind = 'r' loop
                    execute format('drop table nudged.%I', p);
                end loop;
            end $$;
            set role nudged_daemon; select made from nudged.maintain_delivery()
            """
        let rights = """
            select count(*) from pg_class c, aclexplode(c.relacl) a
            where c.relname ~ '^delivery_2' and a.grantee <> c.relowner
            """
        #expect(try fixture.sql(made) == "9")
        #expect(try fixture.sql(rights) != "0")
        #expect(try fixture.excessRights().count { $0.contains("nudged.delivery_2") && $0.contains("from anon") } == 9)
        try fixture.sql("select nudged.grant_roles()")
        #expect(try fixture.sql(rights) == "0")
        #expect(try fixture.sql(made) == "9")
        #expect(try fixture.sql(rights) == "0")
    }

    // MARK: The app's own triggers

    /// A trigger of the app sends a message for a signed-in user. The function's owner may do that; the user may not.
    @Test(arguments: ["nudged's owner", "a backend"]) func trigger_whenTheAppsOwn_sendsUntilABroadGrant(owner: String)
        async throws
    {
        let fixture = try await F.onSupabase(
            before: """
                create table public.orders (user_id uuid);
                create function public.notify() returns trigger language plpgsql security definer
                set search_path = pg_catalog, pg_temp
                as $f$ begin perform nudged_api.send(new.user_id, 'Your order', 'On its way'); return null; end $f$;
                create trigger notify after insert on public.orders for each row execute function public.notify();
                """
        )
        if owner == "a backend" {
            let role = "shop_\(fixture.name)"
            try fixture.sql(
                "create role \(role); grant nudged_app to \(role); alter function public.notify() owner to \(role)"
            )
        }
        let order = "insert into public.orders values (\(F.quoted(1)))"
        #expect(try fixture.perform("authenticated", as: 1, order) == "00000")
        #expect(try fixture.sql("select count(*) from nudged.message") == "1")
        try fixture.sql(F.broadGrants(on: "nudged_api").joined(separator: ";"))
        let refused = try fixture.attempt("authenticated", as: 1, order)
        #expect(refused.state == "42501" && refused.message.contains("nudged_api.send: authenticated"), "\(refused)")
        #expect(refused.more.contains("select nudged.grant_roles()"), "\(refused)")
        try fixture.sql("select nudged.grant_roles()")
        #expect(try fixture.perform("authenticated", as: 1, order) == "00000")
        #expect(try fixture.sql("select count(*) from nudged.message") == "2")
    }

    // MARK: Who counts as the caller

    /// A role that may create in `nudged_api` stops no backend by a function of its own with a call's name.
    @Test func call_whenAStrangerMakesANamesake_staysWithBackends() async throws {
        let fixture = try await Self.fixture(after: [])
        let stranger = "stranger_\(fixture.name)"
        try fixture.sql(
            """
            create role \(stranger); grant usage, create on schema nudged_api to \(stranger);
            set role \(stranger); create function nudged_api.send(text) returns integer language sql as 'select 1';
            reset role; \(F.broadGrants(on: "nudged_api").joined(separator: ";"))
            """
        )
        let send = "select (nudged_api.send(\(F.quoted(1)), 'a', 'b')).id"
        #expect(try fixture.perform("service_role", send) == "00000")
        #expect(try fixture.perform("anon", send) == "42501")
    }

    @Test func caller_whenALogin_isTheRoleThatItActsAs() async throws {
        let fixture = try await Self.fixture(
            after: F.broadGrants(on: "nudged_api") + ["grant execute on all routines in schema nudged_api to public"]
        )
        let send = "select (nudged_api.send(\(F.quoted(1)), 'a', 'b')).id is not null"
        let (backend, stranger) = ("backend_\(fixture.name)", "stranger_\(fixture.name)")
        try fixture.sql(
            """
            create role \(backend) login; grant nudged_app to \(backend);
            create role \(stranger) login; grant usage on schema nudged_api to \(stranger);
            """
        )
        #expect(fixture.told("postgres", send) == "t")
        #expect(fixture.told("postgres", "set role anon; \(send)").contains("anon is no backend"))
        #expect(fixture.told("postgres", "set role nudged_app; \(send)") == "t")
        #expect(fixture.told(backend, send) == "t")
        #expect(fixture.told(backend, "set role nudged_app; \(send)") == "t")
        let told = fixture.told(stranger, send)
        #expect(told.contains("\(stranger) is no backend") && told.contains("grant nudged_app to its role"), "\(told)")
        // As PostgREST connects: authenticator is nobody until it becomes one of its roles.
        #expect(fixture.told("authenticator", "set role service_role; \(send)") == "t")
        for role in ["anon", "authenticated"] {
            #expect(fixture.told("authenticator", "set role \(role); \(send)").contains("\(role) is no backend"))
        }
        #expect(fixture.told("authenticator", "set role anon; reset role; \(send)").contains("permission denied"))
        // A call that was given by name only is refused, too: nudged.allow or nudged_app gives it.
        try fixture.sql("select nudged.grant_roles(); grant execute on function nudged_api.touch(uuid) to \(stranger)")
        let touch = "select nudged_api.touch(\(F.quoted(1)))"
        #expect(fixture.told(stranger, touch).contains("\(stranger) is no backend"))
        try fixture.sql("grant nudged_app to \(stranger)")
        #expect(!fixture.told(stranger, touch).contains("ERROR"))
        #expect(fixture.told(stranger, send) == "t")
    }
}
