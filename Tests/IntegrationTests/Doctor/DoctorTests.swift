import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// `nudged doctor` against real servers: what it says of each fault of the database. `Tests/Reference` has more.
@Suite(.ownThreads) struct DoctorTests {
    /// It lets us in by TCP and says nothing.
    @Test func database_whenItIsSilent_isGivenUp() async throws {
        let scene = try await DoctorScene.scene()
        let silent = try HTTPSServer(names: nil) { _ in [.hold] }
        let begun = ContinuousClock.now
        let (run, findings) = try await scene.doctor(["DATABASE_URL": "postgresql://a@127.0.0.1:\(silent.port)/app"])
        #expect(run.exit == .code(69) && findings["database.connection"]?.exit == 69, "\(run.text)")
        #expect(findings["apple.answer"]?.level == "ok")
        #expect(ContinuousClock.now - begun < .seconds(20))
    }

    @Test func excess_whenABroadGrantWasRun_namesEachRightAndItsStatement() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        try scene.sql("create role anon; create role service_role; grant usage on schema nudged to anon, service_role")
        try scene.sql("grant all on all tables in schema nudged to anon, service_role")
        try scene.sql("grant all on all routines in schema nudged to anon, service_role")
        try scene.sql("alter default privileges in schema nudged grant all on tables to anon")
        let run = try await scene.nudged(["doctor", "--json"], daemon)
        let found = try DoctorScene.findings(run).filter { $0.id == "database.excess_rights" }
        #expect(run.exit == .code(77) && found.map(\.level) == ["error", "warning"], "\(run.text)")
        #expect(found[0].found.hasPrefix("anon has ") && found[0].found.contains(": all on "), "\(run.text)")
        #expect(found[1].found.hasPrefix("service_role has "), "\(run.text)")
        #expect(found.allSatisfy { $0.remedy?.contains("select nudged.grant_roles()") == true })
        // Each statement takes back what it names.
        let statements = found.flatMap(\.details)
        #expect(statements.count > 100 && statements.contains { $0.contains("on table nudged.person from anon") })
        for statement in statements { try scene.sql(statement) }
        let (again, later) = try await scene.doctor(daemon)
        #expect(again.exit == .code(0) && later["database.excess_rights"]?.level == "ok", "\(again.text)")
    }

    @Test func bindings_whenATriggerIsDisabledOrGone_areNamed() async throws {
        let scene = try await DoctorScene.scene()
        try scene.sql("alter table public.push_tokens disable trigger nudged_device_inserted")
        try scene.sql("drop trigger nudged_profile_inserted on public.context_profiles")
        let run = try await scene.nudged(["doctor", "--json"])
        let found = try DoctorScene.findings(run).filter { $0.id == "database.bindings" }
        #expect(run.exit == .code(78) && found.count == 2 && found.allSatisfy { $0.exit == 78 }, "\(run.text)")
        #expect(found.allSatisfy { $0.remedy?.hasPrefix("run nudged migrate") == true }, "\(run.text)")
        let dry = try await scene.nudged(["migrate", "--dry-run"])
        #expect(dry.exit == .code(0) && dry.output.contains("nudged_device_inserted on public.push_tokens does not"))
        let bound = try await scene.nudged(["migrate"]).ends()
        for part in ["bound again: nudged_profile_inserted fires on public.context_profiles", "next: nudged replan"] {
            #expect(bound.output.contains(part), "\(bound.text)")
        }
        let (again, findings) = try await scene.doctor()
        #expect(findings["database.bindings"]?.level == "ok", "\(again.text)")
        #expect(try scene.sql("select tgenabled from pg_trigger where tgname = 'nudged_device_inserted'") == "O")
    }

    @Test func tables_whenTheyWereFoundAndLackSomething_areNamed() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        let scene = try await DoctorScene.scene(migrated: false, cluster: cluster)
        try scene.sql(
            """
            create role authenticated;
            create table public.push_tokens (user_id uuid not null, device_token text not null, created_at timestamptz, updated_at timestamptz);
            grant select on public.push_tokens to authenticated
            """
        )
        try await scene.nudged(["migrate"])
        let run = try await scene.nudged(["doctor", "--json"])
        let found = try DoctorScene.findings(run).filter { $0.id == "database.app_tables" }
        #expect(found.count == 2 && found.allSatisfy { $0.level == "warning" }, "\(run.text)")
        #expect(found.contains { $0.found.contains("no index") })
        #expect(found.contains { $0.found.contains("authenticated may read it") })
    }

    @Test func health_whenRowsArePiledUpAndHeld_isSaid() async throws {
        let cluster = try LocalCluster(
            LocalCluster.Options(password: Scene.password, settings: ["max_prepared_transactions": "2"])
        )
        defer { cluster.stop() }
        let scene = try await DoctorScene.scene(cluster: cluster)
        try scene.sql(
            """
            alter table nudged.touched set (autovacuum_enabled = off);
            insert into nudged.touched (user_id) select gen_random_uuid() from generate_series(1, 30000);
            delete from nudged.touched;
            select pg_create_physical_replication_slot('forgotten', true);
            do $$ declare part text; begin
                for part in select relname from pg_class where relname ~ '^delivery_[0-9]{8}$' and right(relname, 8) > to_char(now(), 'YYYYMMDD')
                loop execute format('drop table nudged.%I', part); end loop;
            end $$;
            -- A session that goes on may keep its counts for a minute.
            select pg_stat_force_next_flush()
            """
        )
        let (run, findings) = try await scene.doctor()
        #expect(run.exit == .code(0), "\(run.text)")
        let odd = ["autovacuum", "bloat", "holders", "partitions", "role"].map { "database.\($0)" }
        #expect(DoctorScene.odd(findings) == odd, "\(run.text)")
        let bloat = try #require(findings["database.bloat"])
        #expect(bloat.found.contains("nudged.touched has 30,000 dead rows"), "\(run.text)")
        #expect(findings["database.holders"]?.found.contains("forgotten") == true)
    }
}
