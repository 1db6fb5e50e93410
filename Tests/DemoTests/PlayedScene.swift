import Service
import LocalPostgres
import Postgres
@testable import Core
import TimeZones

@testable import Demo

/// The demo's parts without its day: a private server with a seeded population, a simulated Apple, and the daemon's parts on a clock turned by hand.
final class PlayedScene: Sendable {
    let cluster: LocalCluster
    let population: DemoPopulation
    let apple: SimulatedApple
    let app: AppDatabase
    let engine: DemoEngine
    let start: Instant
    private let interruption = Interruption()

    /// - Parameters:
    ///   - answer: Apple's answer for each device; nil: as the population's devices say.
    ///   - rules: more of the operator's rules, as environment variables.
    init(
        users: Int,
        seed: UInt64,
        start: Instant,
        answer: DemoDevice.Answer? = nil,
        rules: [String: String] = [:]
    ) async throws {
        let zones = ZoneDatabase()
        self.start = start
        population = DemoPopulation(count: users, seed: seed, zones: zones.names, start: start.seconds)
        apple = try SimulatedApple.start(
            devices: population.devicesByToken.mapValues { device in
                DemoDevice(
                    token: device.token,
                    platform: device.platform,
                    registeredAt: device.registeredAt,
                    answer: answer ?? device.answer
                )
            }
        )
        cluster = try LocalCluster(LocalCluster.Options(maxConnections: 20))
        app = try await AppDatabase.open(ConnectionConfiguration.parse(url: cluster.url(), applicationName: "app"))
        let scene = DemoScene(population: population, zones: zones, start: start, apple: apple, cluster: cluster)
        engine = try DemoEngine(scene, rules: Demo(users: users).rules.merging(rules) { $1 }, interruption)
        try await app.seed(population, interruption)
        _ = try await engine.engine.migrator.migrate()
        try await engine.engine.migrator.activateTemplates()
    }

    /// Sweeps until nobody is due at that instant.
    func serve(at instant: Instant) async throws { try await engine.serve(at: instant, interruption) }

    /// The rows, as lines.
    func lines(_ sql: String) throws -> [String] {
        try cluster.sql(sql).split(separator: "\n").map(String.init)
    }

    func end() async {
        await engine.engine.finish()
        await app.close()
        apple.simulator.stop()
        cluster.stop()
    }
}
