import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// `nudged doctor` against real servers: what it says of each fault of the database, and that one hides no other.
@Suite(.ownThreads) struct DoctorTests {
    // MARK: All is well

    @Test func doctor_whenAllIsWell_saysSoAndChangesNothing() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        // Whatever it asks, it may ask of a database that takes no writes.
        try scene.sql("alter role nudged_daemon set default_transaction_read_only = on")
        let (readOnly, asked) = try await scene.doctor(daemon)
        #expect(DoctorScene.odd(asked) == ["database.writable"], "\(readOnly.text)")
        try scene.sql("alter role nudged_daemon reset default_transaction_read_only")
        let (run, findings) = try await scene.doctor(daemon)
        #expect(run.exit == .code(0) && DoctorScene.odd(findings) == [], "\(run.text)")
        #expect(findings["service.daemons"]?.level == "warning")
        #expect(findings["database.role"]?.found.contains("nudged_daemon: no superuser") == true)
        #expect(findings["apple.answer"]?.found.contains("BadDeviceToken") == true)
        let server = scene.simulator.endpoint.dropFirst("https://".count)
        #expect(findings["apple.endpoint"]?.found.contains("\(server), which is not Apple's") == true, "\(run.text)")
        #expect(findings["apple.clock"]?.level == "ok" && findings["zones.postgresql"]?.level == "ok")
        #expect(scene.simulator.snapshot().accepted.isEmpty)
        // For a person: no line is wider than asked for, and the same is said.
        let plain = try await scene.nudged(["doctor"], daemon).ends(0, output: "0 errors, 2 warnings")
        #expect(plain.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func doctor_whenADaemonLives_sees() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        let process = try scene.start(["run"], daemon)
        try await scene.wait(for: "count(*) > 0 from nudged.daemon", of: process)
        let (run, findings) = try await scene.doctor(daemon)
        #expect(findings["service.daemons"]?.level == "ok", "\(run.text)")
        try await scene.stop(process)
    }

    /// Without the rules, apps need not call seen.
    @Test func activity_whenARuleNeedsIt_mustHaveBeenSeen() async throws {
        let scene = try await DoctorScene.scene()
        for (rule, seen, level) in [
            ("POLICY_BACK_OFF_AFTER", false, "warning"), ("POLICY_SKIP_IF_ACTIVE_MINUTES", false, "warning"),
            ("POLICY_HOLDOUT_PERCENT", false, nil), ("POLICY_BACK_OFF_AFTER", true, "ok"),
        ] {
            if seen { try scene.sql("insert into nudged.seen values ('\(Scene.user(1))', now())") }
            let (run, findings) = try await scene.doctor([rule: "5"])
            let finding = findings["database.activity"]
            #expect(finding?.level == level, "\(rule): \(run.text)")
            if level == "warning" {
                #expect(finding?.found.contains("no app has called seen") == true, "\(run.text)")
                #expect(finding?.remedy?.contains("nudged_me.seen") == true, "\(run.text)")
            }
        }
    }

    // MARK: The database

    @Test func database_whenItIsAwayOrRefuses_hidesNothingElse() async throws {
        let scene = try await DoctorScene.scene()
        let (away, first) = try await scene.doctor(["DATABASE_URL": "postgresql://nobody@127.0.0.1:1/app"])
        #expect(away.exit == .code(69), "\(away.text)")
        #expect(first["database.connection"]?.exit == 69 && first["database.rest"]?.level == "not_checked")
        #expect(first["apple.answer"]?.level == "ok" && first["zones.files"]?.level == "ok")
        let wrong = scene.cluster.tcpURL(database: scene.database).replacing(Scene.password, with: "wrong")
        let (refused, second) = try await scene.doctor(["DATABASE_URL": wrong])
        #expect(refused.exit == .code(77) && second["database.connection"]?.exit == 77, "\(refused.text)")
    }

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

    @Test func rights_whenSomeAreMissing_areNamed() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        try scene.sql("revoke insert on nudged.intent from nudged_daemon")
        try scene.sql("revoke execute on function nudged.maintain_delivery from nudged_daemon")
        let (run, findings) = try await scene.doctor(daemon)
        #expect(run.exit == .code(77), "\(run.text)")
        let lacks = "nudged_daemon lacks insert on nudged.intent; execute on nudged.maintain_delivery"
        #expect(findings["database.rights"]?.found == lacks, "\(run.text)")
        #expect(DoctorScene.odd(findings) == ["database.rights"], "\(run.text)")
        // The remedy works.
        try scene.sql("select nudged.grant_roles()")
        #expect(try await scene.doctor(daemon).0.exit == .code(0))
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

    @Test func writer_whenItMayNotWriteOrIsNotTheOwner_isSaidWithTheStatement() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        try scene.sql("revoke insert on public.push_tokens from nudged_writer")
        let (run, findings) = try await scene.doctor(daemon)
        #expect(run.exit == .code(77) && DoctorScene.odd(findings) == ["database.writer"], "\(run.text)")
        let remedy = try #require(findings["database.writer"]?.remedy)
        let grant = "grant insert on public.push_tokens to nudged_writer"
        #expect(remedy.contains(grant), "\(run.text)")
        try scene.sql(grant)
        try scene.sql("alter function nudged.write_device owner to postgres")
        let (foreign, later) = try await scene.doctor(daemon)
        #expect(foreign.exit == .code(0) && later["database.writer"]?.level == "warning", "\(foreign.text)")
        try scene.sql("select nudged.grant_roles()")
        #expect(try await scene.doctor(daemon).1["database.writer"]?.level == "ok")
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

    @Test func views_whenTheyDiffer_areSaidByColumnAndRight() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        try scene.sql(
            """
            drop view nudged.recipient cascade;
            create view nudged.recipient as
            select user_id, notification_preferences as preferences, true as first_session_complete from public.context_profiles;
            select nudged.grant_roles()
            """
        )
        let (run, findings) = try await scene.doctor(daemon)
        #expect(run.exit == .code(78), "\(run.text)")
        #expect(findings["database.recipient"]?.found.hasSuffix("has no column timezone") == true, "\(run.text)")
        #expect(findings["database.device"]?.level == "ok")
        // A view of somebody's who may not read what it reads.
        try scene.sql("create role narrow; grant create, usage on schema nudged to narrow")
        try scene.sql("alter view nudged.device owner to narrow")
        let (narrow, later) = try await scene.doctor(daemon)
        #expect(later["database.device"]?.exit == 77, "\(narrow.text)")
        #expect(later["database.device"]?.found.contains("push_tokens") == true, "\(narrow.text)")
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
