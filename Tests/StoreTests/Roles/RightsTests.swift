import TestSupport
import Testing

@testable import Core

/// Every table and every call of both schemas under every role: exactly what is decided here, and 42501 for the rest.
/// Both come from the catalog, so what is added later without a decision fails.
@Suite(.ownThreads) struct RightsTests {
    static let roles = ["nudged_daemon", "nudged_app", "nudged_writer", "authenticated", "service_role", "anon"]
    static let verbs = ["select", "insert", "update", "delete", "truncate"]

    /// Nobody but the owner has any right on what is not nudged_daemon's. Partitions of the record are reached through it.
    static let daemonTables: [String: Set<String>] = [
        "person": ["select", "insert", "update"],
        "touched": ["select", "insert", "update", "delete"],
        "intent": ["select", "insert", "update", "delete"],
        "delivery": ["select", "insert"],
        "message": ["select", "update", "delete"],
        "message_key": ["select", "delete"],
        "preview": ["select", "update", "delete"],
        "reminder": ["select", "update", "delete"],
        "occurrence": ["select", "insert", "update", "delete"],
        "subject_member": ["select"],
        "daemon": ["select", "insert", "update", "delete"], "lease": ["select", "insert", "update", "delete"],
        "migration": ["select"],
        "paused": ["select", "insert", "update", "delete"],
        "template": ["select"],
        "member": ["select", "insert", "update", "delete"],
        "range": ["select", "update"],
        "setting": ["select"],
        "recipient": ["select"],
        "device": ["select"],
        "excess_right": ["select"],
        "departed": ["select"], "seen": ["select"], "surface": ["select"],
    ]

    /// What the daemon may update of a table that it only locks: one column, which is all that FOR UPDATE and FOR SHARE ask for.
    static let lockColumns = [
        "touched": "id", "member": "joined_at", "message": "urgent", "reminder": "created_at",
        "preview": "answer",
    ]

    private static let backends: Set<String> = ["nudged_app", "service_role"]
    private static let apps: Set<String> = ["nudged_app", "service_role", "authenticated"]

    /// By the call's name; a name that has namesakes counts for all of them. Nobody may call what is not listed.
    static let calls: [String: Set<String>] = {
        var roles: [String: Set<String>] = [:]
        for (schema, callers, names) in [
            (
                "nudged_api", backends,
                """
                send send_many cancel cancel_messages withdraw set_reminder cancel_reminders snooze_reminder
                cancel_subject_reminders touch forget preview register_device unregister_device
                waiting history export list_reminders seen opened feedback
                """
            ),
            (
                "nudged_me", ["authenticated"],
                """
                preview register_device unregister_device send_test waiting history export list_reminders set_reminder
                snooze_reminder cancel cancel_reminders seen opened feedback
                cancel_messages withdraw preferences set_preferences status
                """
            ),
            ("nudged_api", apps, "preferences_fault"),
            (
                "nudged", ["nudged_daemon"],
                """
                erase_departed maintain_delivery merged_quarantine forget_devices move_device devices_left_out
                prune_message_keys hold_recipients hold_member preferences_text measured_preferences context_text
                measured_context has_long_number readable subject_spellings binding_faults is_misbound opens share_bounds
                """
            ),
        ] as [(String, Set<String>, String)] {
            for name in names.split(whereSeparator: \.isWhitespace) { roles["\(schema).\(name)"] = callers }
        }
        return roles
    }()

    /// What runs as nudged_writer. It owns these calls, but can't name them: it may not use the schema.
    static let writersCalls: Set<String> = [
        "nudged.write_device", "nudged.remove_device", "nudged.forget_device", "nudged.move_device",
        "nudged.drop_devices", "nudged.devices_left_out", "nudged.write_place", "nudged.write_preferences",
        "nudged.keeps_rows",
    ]

    @Test func tables_whenTriedUnderEachRole_takeWhatIsDecided() async throws {
        let fixture = try await F.onSupabase()
        let tried = try fixture.lines(
            """
            with relations as (
                select c.oid, c.relname, c.relkind, c.oid::regclass::text as name, (
                    select quote_ident(attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
                    order by not has_column_privilege('nudged_daemon', c.oid, attnum, 'update'), attnum limit 1) as first
                from pg_class c where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
            ), tries as (
                select relname, role, verb, has_table_privilege(role, oid, verb) or verb <> 'delete' and verb <> 'truncate' and has_any_column_privilege(role, oid, verb) as said,
                    (public.attempt(role, '\(F.user(1).uuidString)', case verb
                        when 'select' then format('select 1 from %s limit 1', name)
                        when 'insert' then format('insert into %s default values', name)
                        when 'update' then format('update %s set %s = default where false', name, first)
                        when 'delete' then format('delete from %s where false', name)
                        else format('truncate %s', name) end, false)).state
                from relations, unnest('{\(Self.roles.joined(separator: ","))}'::text[]) role, unnest('{\(Self.verbs.joined(separator: ","))}'::text[]) verb
                where relkind <> 'v' or verb <> 'truncate'
            )
            select relname, role, verb, said, state from tries order by 1, 2, 3
            """
        ).map { $0.split(separator: "|").map(String.init) }
        let names = Set(tried.map { $0[0] })
        #expect(names.isSuperset(of: Self.daemonTables.keys))
        for row in tried {
            let decided = row[1] == "nudged_daemon" && Self.daemonTables[row[0]]?.contains(row[2]) == true
            #expect(row[3] == (decided ? "t" : "f"), "\(row)")
            // 55000: a view that nothing can be written to.
            #expect(decided ? row[4] != "42501" : row[4] == "42501" || row[4] == "55000", "\(row)")
        }
    }

    @Test func columns_whenATableIsOnlyLocked_areAllButOneRefused() async throws {
        let fixture = try await F.onSupabase()
        for (table, decided) in Self.lockColumns {
            let columns = try fixture.lines(
                "select attname from pg_attribute where attrelid = 'nudged.\(table)'::regclass and attnum > 0 and not attisdropped"
            )
            for column in columns {
                let state = try fixture.attempt(
                    "nudged_daemon",
                    "update nudged.\(table) set \(column) = default where false"
                ).state
                #expect((state == "42501") == (column != decided), "\(table).\(column): \(state)")
            }
            #expect(try fixture.attempt("nudged_daemon", "select 1 from nudged.\(table) for update").state == "00000")
        }
    }

    @Test func calls_whenTriedUnderEachRole_answerWhomIsDecided() async throws {
        let fixture = try await F.onSupabase()
        let tried = try fixture.lines(
            """
            select format('%s.%s', pronamespace::regnamespace, proname), role, has_function_privilege(role, oid, 'execute'), (public.attempt(role, '\(F.user(1).uuidString)', format('select %s(%s)', oid::regproc, (
                select string_agg(case when provariadic <> 0 and place = pronargs then 'variadic ' else '' end || 'null::' || format_type(case t when 'anyelement'::regtype then 'text'::regtype else t end, null), ', ' order by place) from unnest(proargtypes) with ordinality as a (t, place)
            )), false)).state
            from pg_proc, unnest('{\(Self.roles.joined(separator: ","))}'::text[]) role
            where pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace, 'nudged_me'::regnamespace) order by 1, 2
            """
        ).map { $0.split(separator: "|").map(String.init) }
        let names = Set(tried.map { $0[0] })
        #expect(names.isSuperset(of: Self.calls.keys))
        for name in names where Self.calls[name] == nil && !name.hasPrefix("nudged.") {
            Issue.record("\(name): say who may call it in its migration (nudged.allow), and here")
        }
        for row in tried {
            let decided = Self.calls[row[0]]?.contains(row[1]) == true
            let owns = row[1] == "nudged_writer" && Self.writersCalls.contains(row[0])
            #expect(row[2] == (decided || owns ? "t" : "f"), "\(row)")
            #expect((row[3] == "42501") == !decided, "\(row)")
        }
    }

    /// The other ways: sequences, tables and types of one's own in the schema, the app's tables, more rights than given.
    @Test(arguments: roles) func others_whenTried_areRefused(role: String) async throws {
        let fixture = try await F.onSupabase()
        var statements = try fixture.lines(
            "select format('select nextval(%L)', oid::regclass) from pg_class where relnamespace = 'nudged'::regnamespace and relkind = 'S'"
        )
        #expect(!statements.isEmpty)
        statements += [
            "create table nudged.mine ()", "create function nudged.mine() returns int language sql as 'select 1'",
            "drop table nudged.person", "alter table nudged.person disable row level security",
            "drop policy nudged_daemon on nudged.person",
            "alter function nudged_api.forget(uuid) security invoker", "grant select on nudged.person to public",
            "alter function nudged.write_device(uuid, text[], text, text, text) security invoker",
            "create function nudged_api.mine() returns int language sql as 'select 1'",
            "create table nudged_api.mine ()",
            "select 1 from nudged.setting for update", "select 1 from nudged.setting for share",
            "select nudged.take_back_rights()",
            "create trigger mine before insert on nudged.person for each row execute function nudged.touch_changed()",
            "select nudged.allow('\(role)', 'select', 'nudged.person')", "select nudged.grant_roles()",
            "set local session_replication_role = replica",
        ]
        if role.hasPrefix("nudged") {
            for table in ["context_profiles", "push_tokens"] where role != "nudged_writer" {
                statements += [
                    "select 1 from public.\(table)", "insert into public.\(table) default values",
                    "update public.\(table) set user_id = default where false",
                    "delete from public.\(table) where false",
                ]
            }
        }
        for statement in statements {
            let state = try fixture.attempt(role, as: 1, statement).state
            // A grant by a role without the right gives nothing, with a warning. So the right is checked.
            if statement.hasPrefix("grant") {
                #expect(try fixture.sql("select has_table_privilege('public', 'nudged.person', 'select')") == "f")
            } else {
                #expect(state == "42501", "\(role): \(statement): \(state)")
            }
        }
        let attributes = try fixture.sql(
            """
            select rolsuper or rolbypassrls and rolname <> 'service_role' or rolcreaterole or rolcreatedb or rolreplication
                or exists (select from pg_auth_members where member = r.oid)
            from pg_roles r where rolname = '\(role)'
            """
        )
        #expect(attributes == "f")
    }

    /// A function with its owner's rights looks up nothing where its caller could put something.
    @Test func definers_always_haveAFixedSearchPath() async throws {
        let fixture = try await F.onSupabase()
        let paths = try fixture.lines(
            """
            select p.proname, coalesce((select setting from unnest(p.proconfig) as setting where setting like 'search\\_path=%'), 'none')
            from pg_proc p where p.pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace, 'nudged_me'::regnamespace) and p.prosecdef
            """
        )
        #expect(paths.count >= 20)
        for path in paths { #expect(path.hasSuffix("|search_path=pg_catalog, pg_temp"), "\(path)") }
    }

    private static let appTables: Set<String> = ["context_profiles", "push_tokens"]
    private static let ownRows: Set<String> = [
        "authenticated|table|context_profiles|select", "authenticated|table|context_profiles|insert",
        "authenticated|table|context_profiles|update", "authenticated|table|context_profiles|delete",
        "authenticated|table|push_tokens|select", "authenticated|table|push_tokens|delete",
    ]

    /// Nothing in schema nudged_api is anything but a call, and nothing in schema nudged is given to an app's role.
    @Test func apps_always_haveCallsOnly() async throws {
        let fixture = try await F.onSupabase()
        try fixture.expect(
            """
            select (select count(*) from pg_class where relnamespace in ('nudged_api'::regnamespace, 'nudged_me'::regnamespace))
                + (select count(*) from pg_type where typnamespace in ('nudged_api'::regnamespace, 'nudged_me'::regnamespace))
            """,
            "0"
        )
        let roles = Self.apps.union(["anon", "public"])
        for right in try fixture.rights() {
            let parts = right.split(separator: "|").map(String.init)
            guard roles.contains(parts[0]) else { continue }
            let isCall =
                ["nudged_api", "nudged_me"].contains(where: parts[2].hasPrefix)
                && ["schema", "call"].contains(parts[1])
            // Supabase gives service_role every table of schema public.
            let isOwnRow = parts[0] == "service_role" && Self.appTables.contains(parts[2])
            #expect(isCall || isOwnRow || Self.ownRows.contains(right), "\(right)")
        }
    }

    /// The daemon sees all rows of what it may read, and so does row-level security.
    @Test func rows_whenReadByTheDaemon_areAllThere() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...3)
        try fixture.sql(
            """
            insert into nudged.touched (user_id) select user_id from nudged.person;
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select user_id, 'check_in', 'x', '', 'skipped', now(), gen_random_uuid() from nudged.person;
            """
        )
        for table in ["person", "touched", "delivery", "recipient", "device", "migration"] {
            let count = "select count(*) from nudged.\(table)"
            let seen = try fixture.sql("set role nudged_daemon; \(count)")
            #expect(seen != "0")
            #expect(seen == (try fixture.sql(count)), "\(table)")
        }
    }

    /// What a later migration says is carried out, and of what it doesn't say nobody has anything.
    @Test func decisions_whenMadeLater_areCarriedOut() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        try fixture.sql(
            """
            create table nudged.unsaid (user_id uuid primary key); alter table nudged.unsaid enable row level security;
            create table nudged.said (user_id uuid primary key); alter table nudged.said enable row level security;
            insert into nudged.unsaid values (gen_random_uuid()); insert into nudged.said values (gen_random_uuid());
            create function nudged.called(a integer) returns integer language sql as 'select a';
            select nudged.allow('nudged_daemon', 'select', 'nudged.said');
            select nudged.allow('nudged_app', 'execute', 'nudged.called');
            select nudged.grant_roles();
            """
        )
        #expect(try fixture.sql("set role nudged_daemon; select count(*) from nudged.said") == "1")
        #expect(try fixture.attempt("nudged_daemon", "select 1 from nudged.unsaid").state == "42501")
        #expect(try fixture.attempt("nudged_daemon", "delete from nudged.said").state == "42501")
        #expect(try fixture.attempt("nudged_app", "select nudged.called(1)").state == "00000")
        #expect(try fixture.attempt("nudged_daemon", "select nudged.called(1)").state == "42501")
        // A second call replaces the first.
        try fixture.sql("select nudged.allow('nudged_daemon', 'insert, delete', 'nudged.said')")
        #expect(try fixture.attempt("nudged_daemon", "select 1 from nudged.said").state == "42501")
        #expect(
            try fixture.attempt("nudged_daemon", "insert into nudged.said values (gen_random_uuid())").state == "00000"
        )
        try fixture.sql("select nudged.allow('nudged_daemon', 'select, update (user_id)', 'nudged.said')")
        #expect(try fixture.attempt("nudged_daemon", "select 1 from nudged.said for update").state == "00000")
        #expect(
            try fixture.attempt("nudged_daemon", "insert into nudged.said values (gen_random_uuid())").state == "42501"
        )
        // What went is no trouble.
        let all =
            "select string_agg(relacl::text, ' ' order by oid) from pg_class where relnamespace = 'nudged'::regnamespace"
        try fixture.sql("select nudged.allow('nudged_daemon', 'select', 'nudged.unsaid'); drop table nudged.unsaid")
        let before = try fixture.sql(all)
        try fixture.sql("select nudged.grant_roles()")
        #expect(try fixture.sql(all) == before)
    }

    @Test(arguments: [
        ("'nudged_app', 'run', 'nudged_api.touch'", "22023"), ("'nudged_app', 'execute', 'nudged.tough'", "42704"),
        ("'nudged_app', 'select; drop table nudged.person', 'nudged.person'", "22023"),
        ("'nudged_app', 'select', 'nudged.nothing'", "42704"),
        ("'nudged_app', 'delete (user_id)', 'nudged.person'", "22023"),
        ("'nudged_app', 'update (user_id) ', 'nudged.person'", "22023"),
    ]) func decisions_whenMisspelt_areRefused(arguments: String, state: String) async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        #expect(try fixture.attempt("postgres", "select nudged.allow(\(arguments))").state == state)
    }
}
