import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// `nudged doctor` against poolers, Apple's answers and a decision service.
@Suite(.ownThreads) struct DoctorSurroundingsLongTests {
    // MARK: The pooler

    @Test(
        .enabled(if: LocalPooler.isInstalled, "PgBouncer is not installed: apt-get install pgbouncer"),
        arguments: [
            (LocalPooler.Mode.transaction, "20", "ok", "transaction mode"), (.session, "20", "ok", "session mode"),
            (.statement, "20", "warning", "statement mode"), (.session, "1", "warning", "no second server connection"),
            (.transaction, "1", "ok", "transaction mode"),
        ]
    ) func pooler_isToldByItsBehaviour(mode: LocalPooler.Mode, size: String, level: String, text: String) async throws {
        let scene = try await DoctorScene.scene()
        let settings = ["default_pool_size": size]
        let pooler = try LocalPooler(before: scene.cluster, mode: mode, password: Scene.password, settings: settings)
        defer { pooler.stop() }
        let (run, findings) = try await scene.doctor(["DATABASE_URL": pooler.url(database: scene.database)])
        #expect(findings["database.pooler"]?.level == level, "\(run.text)")
        #expect(findings["database.pooler"]?.found.contains(text) == true, "\(run.text)")
        // All else is asked through it.
        #expect(findings["database.rights"]?.level == "ok" && findings["database.work"]?.level == "ok", "\(run.text)")
    }

    // MARK: Apple

    @Test func apple_whenItRefusesTheKey_saysSoAndTheRemedy() async throws {
        let scene = try await DoctorScene.scene()
        try DoctorScene.script(scene, key: "OTHERKEY99")
        let (run, findings) = try await scene.doctor()
        #expect(run.exit == .code(78), "\(run.text)")
        #expect(findings["apple.answer"]?.found == "the server answers InvalidProviderToken", "\(run.text)")
        #expect(findings["apple.answer"]?.remedy?.contains("apns.keyId") == true)
        #expect(findings["database.connection"]?.level == "ok")
        try DoctorScene.script(scene, topics: ["com.example.other"])
        #expect(try await scene.doctor().1["apple.answer"]?.found == "the server answers TopicDisallowed")
        try DoctorScene.script(scene) { _, _ in .answer(status: 503, reason: "ServiceUnavailable") }
        let (busy, later) = try await scene.doctor()
        #expect(busy.exit == .code(0) && later["apple.answer"]?.level == "warning", "\(busy.text)")
        try DoctorScene.script(scene) { _, _ in .closeTCP }
        #expect(try await scene.doctor().1["apple.answer"]?.exit == 69)
    }

    @Test func apple_whenItsClockDiffers_isHeldAgainstOurs() async throws {
        let scene = try await DoctorScene.scene()
        try DoctorScene.script(scene, ahead: 120)
        let (run, findings) = try await scene.doctor()
        #expect(run.exit == .code(0) && findings["apple.clock"]?.level == "warning", "\(run.text)")
        #expect(findings["apple.clock"]?.found.contains("ahead of this machine's") == true, "\(run.text)")
        try DoctorScene.script(scene, ahead: -1800)
        let (far, later) = try await scene.doctor()
        #expect(far.exit == .code(78), "\(far.text)")
        #expect(later["apple.clock"]?.found.contains("behind this machine's") == true, "\(far.text)")
    }

    @Test func apple_whenItCantBeReachedOrTrusted_saysTheStep() async throws {
        let scene = try await DoctorScene.scene()
        for (changes, text) in [
            (["APNS_ENDPOINT": "https://localhost:1"], "no TCP connection"),
            (["APNS_ENDPOINT": "https://nowhere.invalid:443"], "the host name has no address"),
            (["APNS_CA_FILE": "/etc/ssl/certs/ca-certificates.crt"], "the certificate is refused"),
        ] as [([String: String?], String)] {
            let (run, findings) = try await scene.doctor(changes)
            #expect(run.exit == .code(69) && findings["apple.connection"]?.found.contains(text) == true, "\(run.text)")
            #expect(findings["apple.answer"]?.level == "not_checked" && findings["database.connection"]?.level == "ok")
        }
        // A server that speaks TLS and no HTTP/2, as a proxy may.
        let other = try HTTPSServer { _ in HTTPSAct.answer() }
        scene.write(try HTTPSServer.authority.get().certificate, to: "other.pem")
        let place = ["APNS_ENDPOINT": "https://localhost:\(other.port)", "APNS_CA_FILE": "\(scene.folder)/other.pem"]
        let (run, findings) = try await scene.doctor(place)
        #expect(findings["apple.connection"]?.found.contains("no HTTP/2") == true, "\(run.text)")
        #expect(other.seen.now.requests.isEmpty)
    }

    /// Two apps, one of them in production: both are asked, and nobody is reached.
    @Test func apple_whenThereAreSeveralLanes_asksEach() async throws {
        let scene = try await DoctorScene.scene()
        try DoctorScene.script(scene, topics: [Scene.topic])
        scene.write("apns: {apps: [{environment: production}, {bundleId: com.example.other}]}\n", to: "nudged.yaml")
        let run = try await scene.nudged(["doctor", "--json", "--config", "\(scene.folder)/nudged.yaml"])
        let answers = try DoctorScene.findings(run).filter { $0.id == "apple.answer" }
        #expect(answers.map(\.level) == ["ok", "ok", "error"], "\(run.text)")
        #expect(scene.simulator.snapshot().accepted.isEmpty)
    }

    // MARK: The decision service

    @Test func service_whenItIsConfigured_isReachedAndAskedAboutNobody() async throws {
        let scene = try await DoctorScene.scene()
        let service = try HTTPSServer { _ in HTTPSAct.answer(405) }
        scene.write(try HTTPSServer.authority.get().certificate, to: "service-ca.pem")
        scene.secrets.withLock { $0 += ["planted-token", "planted-path"] }
        let changes: [String: String?] = [
            "DECISION_URL": "https://localhost:\(service.port)/planted-path", "DECISION_TOKEN": "planted-token",
            "DECISION_CA_FILE": "\(scene.folder)/service-ca.pem",
        ]
        let (run, findings) = try await scene.doctor(changes)
        #expect(findings["decision.connection"]?.level == "ok", "\(run.text)")
        #expect(findings["decision.connection"]?.found.contains("certificate is verified") == true)
        let request = try #require(service.seen.now.requests.first)
        #expect(request.body.isEmpty && request.fields["authorization"] == nil && service.seen.now.requests.count == 1)
        let untrusted = changes.merging(["DECISION_CA_FILE": "/etc/ssl/certs/ca-certificates.crt"]) { $1 }
        let (refused, later) = try await scene.doctor(untrusted)
        #expect(refused.exit == .code(69), "\(refused.text)")
        #expect(later["decision.connection"]?.found.contains("not trusted") == true, "\(refused.text)")
    }
}
