import APNsSimulator
import FoundationEssentials
import Glibc
import LocalPostgres
import TestSupport

/// `nudged doctor` on a scene, and what it found.
enum DoctorScene {
    /// One finding, as `--json` has it.
    struct Finding: Decodable {
        let id: String
        let level: String
        let found: String
        let details: [String]
        let remedy: String?
        let exit: Int64
    }

    static func findings(_ run: Scene.Run) throws -> [Finding] {
        try JSONDecoder().decode([Finding].self, from: Data(run.output.utf8))
    }

    /// As Apple: a token that no device has is refused as that, and the clock is told.
    static let apple: @Sendable (String, Int) -> ScriptedAnswer? = { token, _ in
        token.allSatisfy { $0 == "0" } ? .answer(status: 400, reason: "BadDeviceToken") : nil
    }

    static func scene(migrated: Bool = true, cluster: LocalCluster? = nil) async throws -> Scene {
        let scene = try await Scene(migrated: migrated, cluster: cluster, perDevice: apple)
        try script(scene)
        return scene
    }

    /// - Parameter ahead: seconds by which Apple's clock is ahead.
    static func script(
        _ scene: Scene,
        ahead: Int64 = 0,
        topics: Set<String> = [],
        key: String = Scene.keyID,
        _ answer: @escaping @Sendable (String, Int) -> ScriptedAnswer? = apple
    ) throws {
        var settings = try Scene.settings(key: key)
        settings.saysDate = true
        settings.topics = topics
        // A host that is an hour behind Apple is another test's.
        settings.tokenLeeway = 7200
        let script = SimulatorScript(settings: settings, now: { Int64(time(nil)) + ahead }, perDevice: answer)
        try scene.simulator.setScript(script)
    }

    static func odd(
        _ findings: [String: Finding],
        but known: Set<String> = ["service.unit", "service.daemons", "apple.endpoint"]
    ) -> [String] { findings.values.filter { $0.level != "ok" && !known.contains($0.id) }.map(\.id).sorted() }

    /// The role that the daemon is given, on a cluster of its own.
    static func daemonsRole() async throws -> (Scene, LocalCluster, [String: String?]) {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        let scene = try await Self.scene(cluster: cluster)
        try scene.sql("alter role nudged_daemon login password '\(Scene.password)'")
        let url = cluster.tcpURL(database: scene.database, user: "nudged_daemon", password: Scene.password)
        return (scene, cluster, ["DATABASE_URL": url])
    }
}

extension Scene {
    func doctor(_ changes: [String: String?] = [:]) async throws -> (Run, [String: DoctorScene.Finding]) {
        let run = try await nudged(["doctor", "--json"], changes, within: .seconds(60))
        let all = try DoctorScene.findings(run)
        // The worst of those that share an id.
        let order = ["ok", "not_checked", "warning", "error"]
        let byID = Dictionary(all.map { ($0.id, $0) }) { one, other in
            (order.firstIndex(of: one.level) ?? 0) >= (order.firstIndex(of: other.level) ?? 0) ? one : other
        }
        return (run, byID)
    }
}
