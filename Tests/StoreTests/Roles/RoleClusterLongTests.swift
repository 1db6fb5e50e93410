import LocalPostgres
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Roles belong to the whole cluster. These tests make, change and miss them, so each has a cluster of its own.
@Suite(.ownThreads, .serialized) struct RoleClusterLongTests {
    /// A database that belongs to a role with no more rights than that.
    private func owned(by owner: String, on cluster: LocalCluster, _ attributes: String = "") throws -> F {
        let fixture = try F(on: cluster, user: owner)
        try fixture.sql("create role \(owner) login \(attributes); alter database \(fixture.name) owner to \(owner)")
        return fixture
    }

    /// As on a managed database: the schema is there, and works for its owner. Roles that somebody else makes get their rights by one call.
    @Test func migrate_whenRolesMayNotBeMade_goesOnAndSaysSo() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try owned(by: "app_owner", on: cluster)
        let owner = try fixture.migrator("app_owner")
        #expect(try await owner.migrate() == Migration.all)
        #expect(try await owner.schemaState() == .current)
        #expect(try await owner.rolesWanting() == (["nudged_daemon", "nudged_app", "nudged_writer"], []))
        #expect(try fixture.sql("select count(*) from pg_roles where rolname like 'nudged%'") == "0")
        // Until there is a nudged_writer, its functions have their owner's rights.
        let register = "select nudged_api.register_device(\(F.quoted(1)), '\(F.token(1))')"
        try fixture.sql("set role app_owner; \(register)")
        try fixture.sql("create role nudged_daemon login; create role nudged_app; create role nudged_writer")
        #expect(try await owner.rolesWanting() == ([], ["nudged_daemon", "nudged_app", "nudged_writer"]))
        // Only a member of a role can give it a function.
        try fixture.sql("set role app_owner; select nudged.grant_roles()")
        #expect(try await owner.rolesWanting() == ([], ["nudged_writer"]))
        try fixture.sql("set role nudged_app; \(register)")
        try fixture.sql("grant nudged_writer to app_owner; set role app_owner; select nudged.grant_roles()")
        #expect(try await owner.rolesWanting() == ([], []))
        try fixture.sql("set role nudged_app; \(register)")
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
        let daemon = try fixture.migrator("nudged_daemon")
        #expect(try await daemon.schemaState() == .current)
        try fixture.expect("select has_function_privilege('nudged_app', 'nudged_api.forget(uuid)', 'execute')", "t")
    }

    /// Many databases of one cluster are migrated at once.
    @Test func migrate_whenOtherDatabasesAreMigratedAtOnce_makesRolesOnce() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixtures = try (0..<6).map { _ in try F(on: cluster) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for fixture in fixtures { group.addTask { _ = try await fixture.migrate() } }
            try await group.waitForAll()
        }
        for fixture in fixtures {
            let migrator = try fixture.migrator()
            #expect(try await migrator.rolesWanting() == ([], []))
            await migrator.close()
        }
    }

    /// A name that another transaction has just taken: it is waited for, and found.
    @Test(.timeLimit(.minutes(10))) func migrate_whenTheRoleIsBeingMade_waitsForIt() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try F(on: cluster)
        let migrating = try await fixture.holding("create role nudged_daemon") {
            let task = Task { try await fixture.migrate() }
            try await fixture.untilSomebodyWaits()
            return task
        }
        _ = try await migrating.value
        #expect(try fixture.sql("select has_table_privilege('nudged_daemon', 'nudged.person', 'select')") == "t")
    }

    /// Every statement of the daemon is let through for its role, where the owner is no superuser, and its plan is the owner's: row-level security costs nothing.
    @Test func statements_whenRunAsTheDaemon_areAllowedAndPlannedAlike() async throws {
        // New statistics between two plans would make two of them.
        let cluster = try LocalCluster(LocalCluster.Options(settings: ["autovacuum": "off"]))
        defer { cluster.stop() }
        let fixture = try owned(by: "app_owner", on: cluster, "createrole")
        try await fixture.migrate()
        for query in Query.allCases {
            let counting = "prepare q as \(query.sql); select cardinality(parameter_types) from pg_prepared_statements"
            let count = Int(try fixture.sql(counting)) ?? 0
            let values = Array(repeating: "null", count: count).joined(separator: ", ")
            // The generic plan: with nulls the planner would leave out most of it, and what is left out asks for no right.
            // Which side of an equality comes first is the planner's choice: each line is compared by its characters.
            func plan(_ role: String) throws -> [String] {
                try fixture.lines(
                    """
                    set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set role \(role);
                    prepare q as \(query.sql); explain (costs off) execute q\(count == 0 ? "" : "(\(values))")
                    """
                ).map { String($0.sorted()) }
            }
            let owners = try plan("app_owner")
            #expect(!owners.isEmpty)
            #expect(try plan("nudged_daemon") == owners, "\(query.name)")
        }
    }

    /// The store as the daemon uses it, as the daemon's role.
    @Test func store_whenItIsTheDaemons_doesItsWork() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try owned(by: "app_owner", on: cluster, "createrole")
        try await fixture.migrate()
        try fixture.sql("alter role nudged_daemon login")
        try fixture.sql("set role app_owner; select nudged_api.touch(\(F.quoted(9)))")
        let store = Store(configuration: try fixture.configuration(of: "nudged_daemon"))
        let member = UUID()
        try await store.join(member, daemon: UUID(), leaseMilliseconds: 60_000)
        #expect(try await store.renew(member, leaseMilliseconds: 60_000)?.ranges.count == 64)
        #expect(try await store.declareDead(store.endedMembers(except: member)) == 0)
        #expect(try await store.drain(member: member, ranges: F.ranges, limit: 9, now: F.now) == 1)
        try fixture.seed(1...3)
        try fixture.sql("set role app_owner; select (nudged_api.send(\(F.quoted(1)), 'a', 'b', dedupe_key => 'k')).id")
        #expect(try await store.drain(member: member, ranges: F.ranges, limit: 9, now: F.now) == 1)
        let users = try await store.claim(ranges: F.ranges, now: F.now, limit: 9).users
        #expect(users.count == 3 && users.allSatisfy { $0.devices.count == 1 && $0.preferences != nil })
        let first = try #require(users.first)
        let device = try #require(first.devices.first)
        let messages = users.flatMap { user in user.messages.map { MessageReference(userID: user.userID, id: $0.id) } }
        #expect(messages.count == 1)
        let intent = F.intent(member, F.intent(users, member: member).changes, messages: messages)
        #expect(try await store.commit(intent) == ([], [], []))
        let refused = UUID()
        let hash = try fixture.hash(device.token)
        var changes = users.map { user in F.change(user, F.record(user), ended: user.messages.map(\.id)) }
        changes[0].records = [F.record(first, .rejected, hash: hash, status: 410, apnsID: refused)]
        changes[0].staleTokens = [F.stale(first, refused)]
        let settled = try await store.settle(Settlement(member, changes, closed: [F.whole(intent)]))
        #expect(settled.settled.count == 3 && settled.tokensDeleted == 1)
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        #expect(try await store.pruneMessageKeys() == 0)
        // Partitions are made and dropped by the role that owns them.
        try fixture.sql(
            "do $$ declare p text; begin for p in select relname from pg_class where relname ~ '^delivery_2' and relkind = 'r' loop execute format('drop table nudged.%I', p); end loop; end $$"
        )
        try fixture.sql(
            "create table nudged.delivery_20200101 partition of nudged.delivery for values from ('2020-01-01') to ('2020-01-02'); alter table nudged.delivery_20200101 owner to app_owner"
        )
        let made = try fixture.sql("set role nudged_daemon; select * from nudged.maintain_delivery()")
        #expect(made == "9|1")
        let owners = "select distinct relowner::regrole from pg_class where relname ~ '^delivery_2' and relkind = 'r'"
        try fixture.expect(owners, "app_owner")
    }

    /// What row-level security hides is said: nudged's tables from the daemon, the app's from who owns the views.
    @Test func schemaState_whenRowSecurityHidesSomething_saysSo() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try owned(by: "app_owner", on: cluster, "createrole")
        try fixture.sql(
            """
            create role other; create table public.push_tokens (user_id uuid, device_token text, platform text, created_at timestamptz, updated_at timestamptz, environment text, topic text);
            alter table public.push_tokens owner to other; grant other to app_owner;
            alter table public.push_tokens enable row level security;
            """
        )
        try await fixture.migrate()
        try fixture.sql("alter role nudged_daemon login")
        let owner = try fixture.migrator("app_owner")
        let daemon = try fixture.migrator("nudged_daemon")
        let steps: [(sql: String, daemons: Migrator.SchemaState, owners: Migrator.SchemaState?)] = [
            ("", .current, .current),
            // The views' owner is a stranger to the table. As a member of nudged_writer it sees what that policy shows.
            ("revoke other from app_owner; grant select on public.push_tokens to app_owner", .current, nil),
            ("drop policy nudged_writer on public.push_tokens", .hidden, .hidden),
            ("create policy reader on public.push_tokens for select to app_owner using (true)", .current, .current),
            // Forced upon the owner itself.
            (
                "drop policy reader on public.push_tokens; alter table public.push_tokens owner to app_owner",
                .current, nil
            ),
            ("alter table public.push_tokens force row level security", .hidden, nil),
            ("alter role app_owner bypassrls", .current, nil),
            // Nor does it hide anything from a superuser.
            (
                "alter role app_owner nobypassrls; create role boss superuser; alter view nudged.device owner to boss",
                .current, nil
            ),
            (
                """
                alter view nudged.device owner to app_owner; alter role app_owner bypassrls;
                drop policy nudged_daemon on nudged.person
                """, .hidden, .current
            ),
            ("set role app_owner; select nudged.grant_roles()", .current, nil),
        ]
        for step in steps {
            try fixture.sql(step.sql)
            #expect(try await daemon.schemaState() == step.daemons, "\(step.sql)")
            if let owners = step.owners { #expect(try await owner.schemaState() == owners, "\(step.sql)") }
        }
    }

    /// An operator's own function stays as it is, and so does its owner: `create or replace` keeps it.
    @Test func forgetDevice_whenItIsTheOperatorsOwn_isLeftAsItIs() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try owned(by: "app_owner", on: cluster, "createrole")
        try await fixture.migrate()
        let state = "select proowner::regrole, prosecdef, prosrc from pg_proc where proname = 'forget_device'"
        #expect(try fixture.sql(state).hasPrefix("nudged_writer|t|"))
        let arguments =
            "recipient uuid, device text, apns_environment text, apns_topic text, unregistered_at timestamptz"
        func define(_ verb: String) throws {
            try fixture.sql(
                """
                set role app_owner;
                \(verb) function nudged.forget_device(\(arguments)) returns boolean language sql
                set search_path = pg_catalog, pg_temp as 'select false'
                """
            )
        }
        try define("create or replace")
        #expect(try fixture.sql(state) == "nudged_writer|f|select false")
        try await fixture.migrate()
        try fixture.sql("set role app_owner; select nudged.grant_roles()")
        #expect(try fixture.sql(state) == "nudged_writer|f|select false")
        // Dropped and made again, it gets its owner and its rights by grant_roles.
        try fixture.sql("drop function nudged.forget_device")
        try define("create")
        #expect(try fixture.sql(state).hasPrefix("app_owner|"))
        try fixture.sql("set role app_owner; select nudged.grant_roles()")
        #expect(try fixture.sql(state) == "nudged_writer|f|select false")
        // The record has Apple's 410 of the device.
        let apnsID = UUID()
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, apns_id, outcome, status, attempted_at, sweep_id)
            values (\(F.quoted(1)), 'check_in', '\(apnsID)', '\(fixture.hash("ab"))', '\(apnsID)', 'rejected', 410, clock_timestamp(), gen_random_uuid())
            """
        )
        let forget = """
            set role nudged_daemon; select nudged.forget_devices(array[\(F.quoted(1))]::uuid[], array['ab'], '{sandbox}',
                '{com.example.app}', array[clock_timestamp()], '{\(apnsID)}', now() - interval '1 minute')
            """
        #expect(try fixture.sql(forget) == "0")
    }

    /// An owner that is no superuser takes back what a broad grant gave.
    @Test func rights_whenTheOwnerIsNoSuperuser_areTakenBack() async throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try owned(by: "app_owner", on: cluster, "createrole")
        try fixture.sql(F.supabase + "grant usage on schema auth to app_owner")
        try await fixture.migrate()
        // From the catalog, and not from nudged.excess_right.
        let rights = """
            with acl as (
                select c.oid::regclass::text as object, coalesce(relacl, acldefault('r', relowner)) as acl, relnamespace as place from pg_class c
                union all select p.oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner)), pronamespace from pg_proc p
                union all select nspname, nspacl, oid from pg_namespace
                union all select 'new ' || defaclobjtype::text, defaclacl, defaclnamespace from pg_default_acl
            )
            select object, a.grantee::regrole, a.privilege_type from acl, aclexplode(acl) a
            where place in ('nudged'::regnamespace, 'nudged_api'::regnamespace) and a.grantee <> 'app_owner'::regrole
            order by 1, 2, 3
            """
        let decided = try fixture.lines(rights)
        #expect(decided.count > 100)
        for schema in ["nudged", "nudged_api"] {
            try fixture.sql("set role app_owner; " + F.broadGrants(on: schema, by: "app_owner").joined(separator: ";"))
        }
        #expect(try fixture.lines(rights) != decided)
        try fixture.sql("set role app_owner; select nudged.grant_roles()")
        #expect(try fixture.lines(rights) == decided && fixture.excessRights().isEmpty)
    }
}
