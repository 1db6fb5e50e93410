import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// `nudged doctor` against real servers: what it says of each fault, and that one hides no other.
@Suite struct DoctorTests {
    /// One finding, as `--json` has it.
    private struct Finding {
        let id: String
        let level: String
        let found: String
        let mend: String?
        let exit: Int64
    }

    private static func text(_ json: JSONValue?) -> String? { if case .string(let text)? = json { text } else { nil } }

    private static func findings(_ run: Scene.Run) throws -> [Finding] {
        guard case .array(let all) = try JSONValue(parsing: run.output) else { return [] }
        return all.map { one in
            var exit: Int64 = -1
            if case .int(let number)? = one["exit"] { exit = number }
            return Finding(
                id: text(one["id"]) ?? "",
                level: text(one["level"]) ?? "",
                found: text(one["found"]) ?? "",
                mend: text(one["mend"]),
                exit: exit
            )
        }
    }

    /// As Apple: a token that no device has is refused as that, and the clock is told.
    private static let apple: @Sendable (String, Int) -> ScriptedAnswer? = { token, _ in
        token.allSatisfy { $0 == "0" } ? .answer(status: 400, reason: "BadDeviceToken") : nil
    }

    private static func scene(migrated: Bool = true, cluster: LocalCluster? = nil) async throws -> Scene {
        let scene = try await Scene(migrated: migrated, cluster: cluster, perDevice: apple)
        try script(scene)
        return scene
    }

    /// - Parameter ahead: seconds by which Apple's clock is ahead.
    private static func script(
        _ scene: Scene,
        ahead: Int64 = 0,
        topics: Set<String> = [],
        key: String = Scene.keyID,
        _ answer: @escaping @Sendable (String, Int) -> ScriptedAnswer? = apple
    ) throws {
        var settings = SimulatorSettings(keys: [
            try Scene.certificate.get().registered(keyID: key, teamID: Scene.teamID)
        ])
        settings.saysDate = true
        settings.topics = topics
        // A host that is an hour behind Apple is another test's.
        settings.tokenLeeway = 7200
        try scene.simulator.setScript(
            SimulatorScript(settings: settings, now: { SimulatorScript.wallClock() + ahead }, perDevice: answer)
        )
    }

    private static func doctor(_ scene: Scene, _ changes: [String: String?] = [:]) async throws -> (
        Scene.Run, [String: Finding]
    ) {
        let run = try await scene.nudged(["doctor", "--json"], changes, within: .seconds(60))
        let all = try findings(run)
        // The worst of those that share an id.
        let order = ["ok", "not_checked", "warning", "error"]
        let byID = Dictionary(all.map { ($0.id, $0) }) { one, other in
            (order.firstIndex(of: one.level) ?? 0) >= (order.firstIndex(of: other.level) ?? 0) ? one : other
        }
        return (run, byID)
    }

    private static func odd(
        _ findings: [String: Finding],
        but known: Set<String> = ["service.unit", "service.daemons"]
    ) -> [String] {
        findings.values.filter { $0.level != "ok" && !known.contains($0.id) }.map(\.id).sorted()
    }

    /// The role that the daemon is given, on a cluster of its own.
    private func daemonsRole() async throws -> (Scene, LocalCluster, [String: String?]) {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        let scene = try await Self.scene(cluster: cluster)
        try scene.sql("alter role nudged_daemon login password '\(Scene.password)'")
        let url = cluster.tcpURL(database: scene.database, user: "nudged_daemon", password: Scene.password)
        return (scene, cluster, ["DATABASE_URL": url])
    }

    // MARK: All is well

    @Test func doctor_whenAllIsWell_saysSoAndChangesNothing() async throws {
        let (scene, cluster, daemon) = try await daemonsRole()
        defer { cluster.stop() }
        // Whatever it asks, it may ask of a database that takes no writes.
        try scene.sql("alter role nudged_daemon set default_transaction_read_only = on")
        let (readOnly, asked) = try await Self.doctor(scene, daemon)
        #expect(Self.odd(asked) == ["database.writable"], "\(readOnly.text)")
        try scene.sql("alter role nudged_daemon reset default_transaction_read_only")
        let (run, findings) = try await Self.doctor(scene, daemon)
        #expect(run.exit == .code(0), "\(run.text)")
        #expect(Self.odd(findings) == [], "\(run.text)")
        #expect(findings["service.daemons"]?.level == "warning")
        #expect(findings["database.role"]?.found.contains("nudged_daemon: no superuser") == true)
        #expect(findings["apple.answer"]?.found.contains("BadDeviceToken") == true)
        #expect(findings["apple.clock"]?.level == "ok" && findings["zones.postgresql"]?.level == "ok")
        #expect(scene.simulator.snapshot().accepted.isEmpty)
        // For a person: no line is wider than asked for, and the same is said.
        let words = try await scene.nudged(["doctor"], daemon)
        #expect(words.exit == .code(0) && words.output.contains("0 errors, 1 warning"), "\(words.text)")
        #expect(words.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func doctor_whenADaemonLives_sees() async throws {
        let (scene, cluster, daemon) = try await daemonsRole()
        defer { cluster.stop() }
        let process = try scene.start(["run"], daemon)
        let end = ContinuousClock.now + .seconds(40)
        while try scene.sql("select count(*) from nudged.daemon") == "0", ContinuousClock.now < end {
            await Task.yield()
        }
        let (run, findings) = try await Self.doctor(scene, daemon)
        #expect(findings["service.daemons"]?.level == "ok", "\(run.text)")
        process.signal(SIGTERM)
        try await scene.finish(process)
    }

    // MARK: The database

    @Test func database_whenItIsAwayOrRefuses_hidesNothingElse() async throws {
        let scene = try await Self.scene()
        let (away, first) = try await Self.doctor(scene, ["DATABASE_URL": "postgresql://nobody@127.0.0.1:1/app"])
        #expect(away.exit == .code(69), "\(away.text)")
        #expect(first["database.connection"]?.exit == 69 && first["database.rest"]?.level == "not_checked")
        #expect(first["apple.answer"]?.level == "ok" && first["zones.files"]?.level == "ok")
        let wrong = scene.cluster.tcpURL(database: scene.database).replacing(Scene.password, with: "wrong")
        let (refused, second) = try await Self.doctor(scene, ["DATABASE_URL": wrong])
        #expect(refused.exit == .code(77) && second["database.connection"]?.exit == 77, "\(refused.text)")
        let (none, third) = try await Self.doctor(scene, ["DATABASE_URL": scene.cluster.tcpURL(database: "nowhere")])
        #expect(
            none.exit == .code(78) && third["database.connection"]?.mend?.contains("create the database") == true,
            "\(none.text)"
        )
    }

    /// It lets us in by TCP and says nothing.
    @Test func database_whenItIsSilent_isGivenUp() async throws {
        let scene = try await Self.scene()
        let silent = try HTTPSServer(names: nil) { _ in [.hold] }
        let begun = ContinuousClock.now
        let (run, findings) = try await Self.doctor(
            scene,
            ["DATABASE_URL": "postgresql://a@127.0.0.1:\(silent.port)/app"]
        )
        #expect(run.exit == .code(69) && findings["database.connection"]?.exit == 69, "\(run.text)")
        #expect(findings["apple.answer"]?.level == "ok")
        #expect(ContinuousClock.now - begun < .seconds(20))
    }

    @Test func database_whenItIsNotMigrated_saysTheMend() async throws {
        let scene = try await Self.scene(migrated: false)
        let (run, findings) = try await Self.doctor(scene)
        #expect(
            run.exit == .code(78) && findings["database.migrations"]?.mend?.contains("nudged migrate") == true,
            "\(run.text)"
        )
        #expect(findings["database.rest"]?.level == "not_checked" && findings["database.rights"] == nil)
    }

    /// The superuser sees all, and is told that this is too much.
    @Test func role_whenItIsASuperuser_isAWarning() async throws {
        let scene = try await Self.scene()
        let (run, findings) = try await Self.doctor(scene)
        #expect(run.exit == .code(0) && findings["database.role"]?.level == "warning", "\(run.text)")
        #expect(Self.odd(findings) == ["database.role"], "\(run.text)")
    }

    @Test func rights_whenSomeAreMissing_areNamed() async throws {
        let (scene, cluster, daemon) = try await daemonsRole()
        defer { cluster.stop() }
        try scene.sql(
            "revoke insert on nudged.intent from nudged_daemon; revoke execute on function nudged.maintain_delivery from nudged_daemon"
        )
        let (run, findings) = try await Self.doctor(scene, daemon)
        #expect(run.exit == .code(77), "\(run.text)")
        #expect(
            findings["database.rights"]?.found
                == "nudged_daemon lacks insert on nudged.intent; execute on nudged.maintain_delivery",
            "\(run.text)"
        )
        #expect(Self.odd(findings) == ["database.rights"], "\(run.text)")
        // The mend mends it.
        try scene.sql("select nudged.grant_roles()")
        #expect(try await Self.doctor(scene, daemon).0.exit == .code(0))
        try scene.sql("alter role nudged_daemon bypassrls")
        #expect(try await Self.doctor(scene, daemon).1["database.role"]?.found.contains("BYPASSRLS") == true)
        try scene.sql("alter role nudged_daemon nobypassrls; revoke usage on schema nudged from nudged_daemon")
        let (shut, rest) = try await Self.doctor(scene, daemon)
        #expect(
            shut.exit == .code(77) && rest["database.rights"]?.found.contains("may not look into schema") == true,
            "\(shut.text)"
        )
    }

    @Test func triggers_whenOneIsDisabledOrGone_areNamed() async throws {
        let scene = try await Self.scene()
        try scene.sql(
            "alter table public.push_tokens disable trigger nudged_device_came; drop trigger nudged_profile_came on public.context_profiles"
        )
        let run = try await scene.nudged(["doctor", "--json"])
        let found = try Self.findings(run).filter { $0.id == "database.triggers" }
        #expect(run.exit == .code(78) && found.count == 2 && found.allSatisfy { $0.exit == 78 }, "\(run.text)")
        let mend = try #require(found.compactMap(\.mend).first { $0.hasPrefix("alter table") })
        // Carried out as it stands, up to what follows it.
        try scene.sql(String(mend.prefix { $0 != ";" }))
        let (again, findings) = try await Self.doctor(scene)
        #expect(findings["database.triggers"]?.found.contains("nudged_profile_came") == true, "\(again.text)")
        #expect(try scene.sql("select tgenabled from pg_trigger where tgname = 'nudged_device_came'") == "O")
    }

    @Test func views_whenTheyDiffer_areSaidByColumnTypeAndRight() async throws {
        let (scene, cluster, daemon) = try await daemonsRole()
        defer { cluster.stop() }
        func redefine(_ view: String, _ columns: String) throws {
            try scene.sql(
                "drop view if exists nudged.\(view) cascade; create view nudged.\(view) as \(columns); select nudged.grant_roles()"
            )
        }
        try redefine(
            "recipient",
            "select user_id, notification_preferences as preferences, true as first_session_complete from public.context_profiles"
        )
        try redefine(
            "subject_member",
            "select 't'::text as subject_type, 1::bigint as subject_id, gen_random_uuid() as user_id"
        )
        let (run, findings) = try await Self.doctor(scene, daemon)
        #expect(run.exit == .code(78), "\(run.text)")
        #expect(findings["database.recipient"]?.found.hasSuffix("has no column timezone") == true, "\(run.text)")
        #expect(findings["database.subject_member"]?.found.contains("type bigint, and not text") == true, "\(run.text)")
        #expect(findings["database.device"]?.level == "ok")
        // A view of somebody's who may not read what it reads.
        try scene.sql(
            "create role narrow; grant create, usage on schema nudged to narrow; alter view nudged.device owner to narrow"
        )
        let (narrow, later) = try await Self.doctor(scene, daemon)
        #expect(
            later["database.device"]?.exit == 77 && later["database.device"]?.found.contains("push_tokens") == true,
            "\(narrow.text)"
        )
    }

    @Test func tables_whenTheyWereFoundAndLackSomething_areNamed() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        let scene = try await Self.scene(migrated: false, cluster: cluster)
        try scene.sql(
            """
            create role authenticated;
            create table public.push_tokens (user_id uuid not null, device_token text not null, created_at timestamptz, updated_at timestamptz);
            grant select on public.push_tokens to authenticated
            """
        )
        try await scene.nudged(["migrate"])
        try scene.sql("alter table nudged.touched disable row level security")
        let run = try await scene.nudged(["doctor", "--json"])
        let found = try Self.findings(run).filter { $0.id == "database.app_tables" }
        #expect(found.count == 2 && found.allSatisfy { $0.level == "warning" }, "\(run.text)")
        #expect(
            found.contains { $0.found.contains("no index") }
                && found.contains { $0.found.contains("authenticated may read it") }
        )
        #expect(
            try Self.findings(run).contains { $0.id == "database.row_security" && $0.found.contains("nudged.touched") }
        )
    }

    @Test func health_whenRowsArePiledUpAndHeld_isSaid() async throws {
        let cluster = try LocalCluster(
            LocalCluster.Options(password: Scene.password, settings: ["max_prepared_transactions": "2"])
        )
        defer { cluster.stop() }
        let scene = try await Self.scene(cluster: cluster)
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
            """
        )
        let (run, findings) = try await Self.doctor(scene)
        #expect(run.exit == .code(0), "\(run.text)")
        #expect(
            Self.odd(findings) == [
                "database.autovacuum", "database.bloat", "database.holders", "database.partitions", "database.role",
            ],
            "\(run.text)"
        )
        #expect(
            findings["database.bloat"]?.found.contains("nudged.touched has 30,000 dead rows") == true,
            "\(run.text)"
        )
        #expect(findings["database.holders"]?.found.contains("forgotten") == true)
    }

    // MARK: The pooler

    @Test(
        .enabled(if: LocalPooler.isInstalled, "PgBouncer is not installed: apt-get install pgbouncer"),
        arguments: [
            (LocalPooler.Mode.transaction, "20", "ok", "transaction mode"), (.session, "20", "ok", "session mode"),
            (.statement, "20", "warning", "statement mode"), (.session, "1", "warning", "no second server connection"),
            (.transaction, "1", "ok", "transaction mode"),
        ]
    )
    func pooler_isToldByItsBehaviour(mode: LocalPooler.Mode, size: String, level: String, words: String) async throws {
        let scene = try await Self.scene()
        let pooler = try LocalPooler(
            before: scene.cluster,
            mode: mode,
            password: Scene.password,
            settings: ["default_pool_size": size]
        )
        defer { pooler.stop() }
        let (run, findings) = try await Self.doctor(scene, ["DATABASE_URL": pooler.url(database: scene.database)])
        #expect(findings["database.pooler"]?.level == level, "\(run.text)")
        #expect(findings["database.pooler"]?.found.contains(words) == true, "\(run.text)")
        // All else is asked through it.
        #expect(findings["database.rights"]?.level == "ok" && findings["database.work"]?.level == "ok", "\(run.text)")
    }

    // MARK: Apple

    @Test func apple_whenItRefusesTheKey_saysSoAndTheMend() async throws {
        let scene = try await Self.scene()
        try Self.script(scene, key: "OTHERKEY99")
        let (run, findings) = try await Self.doctor(scene)
        #expect(run.exit == .code(78), "\(run.text)")
        #expect(findings["apple.answer"]?.found == "Apple answers InvalidProviderToken", "\(run.text)")
        #expect(findings["apple.answer"]?.mend?.contains("apns.keyId") == true)
        #expect(findings["database.connection"]?.level == "ok")
        try Self.script(scene, topics: ["com.example.other"])
        #expect(try await Self.doctor(scene).1["apple.answer"]?.found == "Apple answers TopicDisallowed")
        try Self.script(scene) { _, _ in .answer(status: 503, reason: "ServiceUnavailable") }
        let (busy, later) = try await Self.doctor(scene)
        #expect(busy.exit == .code(0) && later["apple.answer"]?.level == "warning", "\(busy.text)")
        try Self.script(scene) { _, _ in .closeTCP }
        #expect(try await Self.doctor(scene).1["apple.answer"]?.exit == 69)
    }

    @Test func apple_whenItsClockDiffers_isHeldAgainstOurs() async throws {
        let scene = try await Self.scene()
        try Self.script(scene, ahead: 120)
        let (run, findings) = try await Self.doctor(scene)
        #expect(run.exit == .code(0) && findings["apple.clock"]?.level == "warning", "\(run.text)")
        #expect(findings["apple.clock"]?.found.contains("ahead of this machine's") == true, "\(run.text)")
        try Self.script(scene, ahead: -1800)
        let (far, later) = try await Self.doctor(scene)
        #expect(
            far.exit == .code(78) && later["apple.clock"]?.found.contains("behind this machine's") == true,
            "\(far.text)"
        )
    }

    @Test func apple_whenItCantBeReachedOrTrusted_saysTheStep() async throws {
        let scene = try await Self.scene()
        for (changes, words) in [
            (["APNS_ENDPOINT": "https://localhost:1"], "no TCP connection"),
            (["APNS_ENDPOINT": "https://nowhere.invalid:443"], "the name has no address"),
            (["APNS_CA_FILE": "/etc/ssl/certs/ca-certificates.crt"], "the certificate is refused"),
        ] as [([String: String?], String)] {
            let (run, findings) = try await Self.doctor(scene, changes)
            #expect(run.exit == .code(69), "\(run.text)")
            #expect(findings["apple.connection"]?.found.contains(words) == true, "\(run.text)")
            #expect(findings["apple.answer"]?.level == "not_checked" && findings["database.connection"]?.level == "ok")
        }
        // A server that speaks TLS and no HTTP/2, as a proxy may.
        let other = try HTTPSServer { _ in HTTPSAct.answer() }
        scene.write(try HTTPSServer.authority.get().certificate, to: "other.pem")
        let (run, findings) = try await Self.doctor(
            scene,
            ["APNS_ENDPOINT": "https://localhost:\(other.port)", "APNS_CA_FILE": "\(scene.folder)/other.pem"]
        )
        #expect(findings["apple.connection"]?.found.contains("no HTTP/2") == true, "\(run.text)")
        #expect(other.seen.now.requests.isEmpty)
    }

    /// Two apps, one of them in production: both are asked, and nobody is reached.
    @Test func apple_whenThereAreSeveralLanes_asksEach() async throws {
        let scene = try await Self.scene()
        try Self.script(scene, topics: [Scene.topic])
        scene.write("apns: {apps: [{environment: production}, {bundleId: com.example.other}]}\n", to: "nudged.yaml")
        let run = try await scene.nudged(["doctor", "--json", "--config", "\(scene.folder)/nudged.yaml"])
        let answers = try Self.findings(run).filter { $0.id == "apple.answer" }
        #expect(answers.map(\.level) == ["ok", "ok", "error"], "\(run.text)")
        #expect(scene.simulator.snapshot().accepted.isEmpty)
    }

    // MARK: Configuration and the decision service

    @Test func configuration_whenItIsWrong_leavesWhatCanBeLookedAt() async throws {
        let scene = try await Self.scene()
        scene.write("no key\n", to: "key.p8")
        let (run, findings) = try await Self.doctor(scene)
        #expect(run.exit == .code(78) && findings["configuration.file"]?.exit == 78, "\(run.text)")
        #expect(
            findings["database.connection"]?.level == "ok" && findings["apple.lanes"]?.level == "not_checked",
            "\(run.text)"
        )
        let (open, later) = try await Self.doctor(
            scene,
            ["APNS_PRIVATE_KEY_FILE": scene.write("x", to: "open.p8", mode: 0o644)]
        )
        #expect(later["configuration.file"]?.exit == 77, "\(open.text)")
    }

    @Test func service_whenItIsConfigured_isReachedAndAskedAboutNobody() async throws {
        let scene = try await Self.scene()
        let service = try HTTPSServer { _ in HTTPSAct.answer(405) }
        scene.write(try HTTPSServer.authority.get().certificate, to: "service-ca.pem")
        scene.secrets.withLock { $0 += ["planted-token", "planted-path"] }
        let changes: [String: String?] = [
            "DECISION_URL": "https://localhost:\(service.port)/planted-path", "DECISION_TOKEN": "planted-token",
            "DECISION_CA_FILE": "\(scene.folder)/service-ca.pem",
        ]
        let (run, findings) = try await Self.doctor(scene, changes)
        #expect(findings["decision.connection"]?.level == "ok", "\(run.text)")
        #expect(findings["decision.connection"]?.found.contains("certificate verified") == true)
        let request = try #require(service.seen.now.requests.first)
        #expect(request.body.isEmpty && request.fields["authorization"] == nil && service.seen.now.requests.count == 1)
        let untrusted = changes.merging(["DECISION_CA_FILE": "/etc/ssl/certs/ca-certificates.crt"]) { $1 }
        let (refused, later) = try await Self.doctor(scene, untrusted)
        #expect(
            refused.exit == .code(69) && later["decision.connection"]?.found.contains("not trusted") == true,
            "\(refused.text)"
        )
    }
}
