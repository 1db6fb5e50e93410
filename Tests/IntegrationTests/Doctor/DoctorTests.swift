import APNsSimulator
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
}
