import Foundation
import Glibc
import LocalPostgres
import Postgres
import Synchronization
import Systemd
import Testing
import TimeZones

@testable import Core
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
        let configuration = try ConnectionConfiguration.parse(url: cluster.url(), applicationName: "app")
        app = AppDatabase(connection: try await Connection.open(configuration))
        let scene = DemoScene(population: population, zones: zones, start: start, apple: apple, cluster: cluster)
        engine = try DemoEngine(scene, rules: Demo(users: users).rules.merging(rules) { $1 }, interruption)
        try await app.seed(population, interruption)
        _ = try await engine.engine.migrator.migrate()
        try await engine.engine.migrator.activateTemplates()
    }

    /// Sweeps until nobody is due at that instant.
    func serve(at instant: Instant) async throws { try await engine.serve(at: instant, interruption) }

    /// The rows, as lines.
    func lines(_ sql: String) throws -> [String] { try cluster.sql(sql).split(separator: "\n").map(String.init) }

    func end() async {
        await engine.engine.finish()
        await app.close()
        apple.simulator.stop()
        cluster.stop()
    }
}

/// A demo's output that remembers, and lets a test act at a text of its choice.
final class Transcript: Sendable {
    private let state = Mutex<(text: String, count: Int, complaints: [String])>(("", 0, []))

    var text: String { state.withLock { $0.text } }
    var complaints: [String] { state.withLock { $0.complaints } }
    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    /// The cluster's folder, once the head was written.
    var folder: String? {
        text.split(separator: " ").first { $0.contains("/nudged-pg-") }.map {
            String($0.prefix { $0 != "," && $0 != "\n" })
        }
    }

    /// Runs a demo to its end. The cluster's folder and its processes are gone then.
    ///
    /// - Parameter onText: called for each text with the number of those before; false: it could not be written.
    func run(
        users: Int,
        seed: UInt64 = 1,
        start: String? = nil,
        rules: [String: String]? = nil,
        _ interruption: Interruption = Interruption(),
        onText: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) async throws -> Systemd.ExitStatus {
        let output = DemoOutput(
            write: { text in
                let before = self.state.withLock { state in
                    defer { state.count += 1 }
                    state.text += text
                    return state.count
                }
                return onText(before)
            },
            complain: { text in self.state.withLock { $0.complaints.append(text) } }
        )
        var demo = Demo(users: users, seed: seed, output: output)
        if let rules { demo.rules = rules }
        demo.start = start.flatMap { Instant(rfc3339: $0) }
        let status = await demo.run(interruption)
        let folder = try #require(folder, "\(text) \(complaints)")
        #expect(access(folder, F_OK) != 0)
        #expect(!processes(naming: CommandLine.arguments[0]).isEmpty, "/proc can't be read")
        #expect(processes(naming: folder) == [])
        return status
    }
}

/// Numbers of processes with the folder in their command line.
private func processes(naming folder: String) -> [String] {
    let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }
    return numbers.filter { number in
        let bytes = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
        return String(decoding: bytes, as: UTF8.self).contains(folder)
    }
}
