import LocalPostgres
import TestSupport
import Testing

/// `nudged migrate`, as an operator types it.
@Suite(.ownThreads) struct MigrateTests {
    private static let others = """
        create table public.users (id uuid primary key, prefs jsonb, tz text, onboarded boolean);
        create table public.devices (owner uuid, apns text, seen timestamptz);
        """

    private func scene(_ sql: String = "") async throws -> Scene {
        let scene = try await Scene(migrated: false)
        if !sql.isEmpty { try scene.sql(sql) }
        return scene
    }

    private func tables(_ scene: Scene) throws -> [String] {
        try scene.lines(
            "select schemaname, tablename from pg_tables where schemaname in ('public', 'nudged') order by 1, 2"
        )
    }

    /// The app replaces a table, and a user says no in the new one.
    @Test func migrate_whenATableWasReplaced_bindsAnew_andNothingIsSentBefore() async throws {
        let scene = try await Scene()
        try scene.seedDue(2)
        try scene.sql(
            """
            create table public.x_new (like public.context_profiles including all);
            insert into public.x_new select * from public.context_profiles;
            alter table public.context_profiles rename to x_old;
            alter table public.x_new rename to context_profiles;
            update public.context_profiles set notification_preferences = notification_preferences || '{"check_ins_enabled": false}'
            where user_id = '\(Scene.user(1))';
            """
        )
        let said = "nudged.recipient reads public.x_old. Another table or column is called public.context_profiles"
        let halted = try await scene.once()
        #expect(halted.exit == .code(78) && halted.text.contains(said), "\(halted.text)")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "0")
        let status = try await scene.nudged(["status"])
        #expect(status.exit == .code(78) && status.text.contains(said), "\(status.text)")
        let doctor = try await scene.nudged(["doctor", "--json"])
        #expect(doctor.exit == .code(78) && doctor.text.contains(said), "\(doctor.text)")
        let bound = try await scene.nudged(["migrate"]).ends()
        #expect(bound.output.contains("bound again: nudged.recipient reads public.context_profiles"), "\(bound.text)")
        try await scene.nudged(["migrate"]).ends(0, output: "nothing to do")
        try await scene.once().ends(0, ["sent": 1])
    }

    @Test func migrate_whenTablesDiffer_changesNothing() async throws {
        let scene = try await scene(
            """
            create table public.context_profiles (user_id text, first_session_complete integer);
            create table public.push_tokens (owner uuid, token text);
            """
        )
        for arguments in [["migrate"], ["migrate", "--dry-run"]] {
            let run = try await scene.nudged(arguments)
            run.ends(78, output: "public.context_profiles.user_id is of type text, not uuid")
            #expect(run.output.hasPrefix("nothing was changed: 4 faults"), "\(run.text)")
        }
        #expect(try scene.sql("select to_regnamespace('nudged') is null") == "t")
        #expect(try tables(scene) == ["public|context_profiles", "public|push_tokens"])
    }

    @Test func migrate_whenTablesHaveOtherNames_saysHowToMapThem() async throws {
        let scene = try await scene(Self.others)
        let mapping = "create view nudged.device as select"
        try await scene.nudged(["migrate"]).ends(78, output: "(devices, users)", mapping)
        #expect(try tables(scene) == ["public|devices", "public|users"])
        try scene.sql(
            """
            create schema nudged;
            create view nudged.recipient as select id as user_id, prefs as preferences, tz as timezone, onboarded as first_session_complete from public.users;
            create view nudged.device as select owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic from public.devices;
            """
        )
        try await scene.nudged(["migrate"]).ends(0, output: "none for devices")
        try scene.expect(
            "select tablename from pg_tables where schemaname = 'public' order by 1",
            ["devices", "users"]
        )
        // A user of the app's own tables gets a nudge.
        scene.secrets.withLock { $0.append("c0ffee00000000") }
        try scene.sql(
            """
            insert into public.users values ('\(Scene.user(1))', '{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}', 'UTC', true);
            insert into public.devices values ('\(Scene.user(1))', '\(Scene.token(1))', '2026-01-01');
            select (nudged_api.send('\(Scene.user(1))', 'a', 'b', urgent => true)).id;
            """
        )
        try await scene.once().ends(0, ["sent": 1])
    }

    @Test func migrate_whenToldToMakeTables_makesThemBesideOthers() async throws {
        let scene = try await scene(Self.others)
        let run = try await scene.nudged(["migrate", "--create-tables", "--with-templates"])
        #expect(run.exit == .code(0) && run.output.contains("the built-in templates are active"), "\(run.text)")
        #expect(try tables(scene).contains("public|push_tokens"))
        #expect(try scene.sql("select count(*) from nudged.template where active") == "6")
    }

    /// The owner's text is what users get. The built-in ones come beside it if they are asked for.
    @Test func checkIn_whenTheDatabaseIsNew_hasTheOwnersText() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let run = try await scene.once()
        #expect(run.number("sent") == 1, "\(run.text)")
        let payload = String(decoding: scene.simulator.snapshot().accepted.first?.payload ?? [], as: UTF8.self)
        #expect(payload.contains(Scene.title) && payload.contains(Scene.body))
        try await scene.nudged(["migrate", "--with-templates"]).ends(0, output: "nothing to do")
        #expect(try scene.sql("select count(*) from nudged.template where active") == "7")
    }

    /// What a broad grant gave, as Supabase's page on custom schemas has one run it.
    @Test func migrate_whenABroadGrantWasRun_takesItBack() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        let scene = try await Scene(migrated: false, cluster: cluster)
        try scene.sql("create role anon; create role authenticated")
        try await scene.nudged(["migrate"])
        try scene.sql("grant usage on schema nudged to anon, authenticated")
        try scene.sql("grant all on all tables in schema nudged to anon, authenticated")
        try scene.sql("grant all on all routines in schema nudged, nudged_api to anon")
        let excess = "select count(*) > 50 from nudged.excess_right"
        let dry = try await scene.nudged(["migrate", "--dry-run"]).ends()
        for part in [
            "no migration is pending: the schema is current", " too many (anon, authenticated):",
            "  anon: all on nudged.", "next: nudged migrate without --dry-run does this",
        ] { #expect(dry.output.contains(part), "\(part): \(dry.text)") }
        #expect(try scene.sql(excess) == "t")
        let back = " rights that were too many (anon, authenticated)"
        try await scene.nudged(["migrate"]).ends(0, output: "took back ", back)
        #expect(try scene.sql(excess) == "f")
        let again = try await scene.nudged(["migrate"])
        #expect(again.output.contains("nothing to do") && !again.output.contains("took back"), "\(again.text)")
    }

    /// The script needs no configuration, and is found applied.
    @Test func sql_whenApplied_isRecognised() async throws {
        let scene = try await scene()
        let script = try await scene.nudged(["migrate", "--sql"], ["DATABASE_URL": nil]).ends()
        try scene.sql("begin; \(script.output) commit")
        try await scene.nudged(["migrate"]).ends(0, output: "nothing to do: the schema is current", "next: ")
    }
}
