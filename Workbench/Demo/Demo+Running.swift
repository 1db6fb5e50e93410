import Service
import LocalPostgres
import Postgres
import Core
import Systemd
import TimeZones

import struct Glibc.time_t
import func Glibc.time

extension Demo {
    /// As `run`, but `interruption` can end it early.
    func run(_ interruption: Interruption) async -> ExitStatus {
        do throws(DemoError) {
            let result = try await perform(interruption)
            // Everything is stopped and removed. Only the report is left to print.
            let report = report
            say(report.end(result), interruption)
            return result.check.holds ? .success : .software
        } catch {
            // An error after a signal is the signal's (a terminal sends Ctrl-C to initdb too).
            let reason = interruption.error ?? error
            output.complain(reason.description)
            return reason.exitStatus
        }
    }

    var report: DemoReport { DemoReport(output: output) }

    /// Ends the demo if the text can't be written.
    private func say(_ text: String, _ interruption: Interruption) {
        if !output.write(text) { interruption.raise(Interruption.unread) }
    }

    private func perform(_ interruption: Interruption) async throws(DemoError) -> DayResult {
        let zones = ZoneDatabase()
        let start = self.start ?? Self.nextHour(after: Instant(seconds: Int64(time(nil))))
        let names = zones.names
        guard !names.isEmpty else {
            throw DemoError(.missing, "no time zones in \(zones.directory); install them: apt-get install tzdata")
        }
        let population = DemoPopulation(count: users, seed: seed, zones: names, start: start.seconds)
        let apple = try SimulatedApple.start(devices: population.devicesByToken)
        defer { apple.simulator.stop() }
        try interruption.check()
        let cluster = try await startCluster()
        do {
            let scene = DemoScene(
                population: population,
                directory: Directory(population, zones: zones, start: start),
                zones: zones,
                zoneCount: names.count,
                start: start,
                apple: apple,
                cluster: cluster
            )
            let result = try await play(scene, interruption)
            await stop(cluster)
            return result
        } catch {
            await stop(cluster)
            throw Self.demoError(error)
        }
    }

    private func play(_ scene: DemoScene, _ interruption: Interruption) async throws -> DayResult {
        try interruption.check()
        // In the cluster's folder, so it is removed with it.
        let caFile = try scene.cluster.install(file: "authority.pem", contents: scene.apple.certificate.authority)
        let configuration = try DemoEngine.configuration(
            cluster: scene.cluster,
            apple: scene.apple,
            caFile: caFile,
            rules: rules
        )
        let app = try await AppDatabase.open(
            ConnectionConfiguration.parse(url: scene.cluster.url(), applicationName: "app")
        )
        say(report.head(scene, version: try await app.serverVersion(), users: users), interruption)
        let engine = try DemoEngine(configuration, zones: scene.zones, start: scene.start, interruption: interruption)
        interruption.onRaise { Task { await engine.engine.cutOff() } }
        do {
            let result = try await live(scene, engine, app, interruption)
            interruption.forgetAction()
            await engine.engine.finish()
            await app.close()
            return result
        } catch {
            await engine.engine.cutOff()
            await app.close()
            throw error
        }
    }

    private func live(
        _ scene: DemoScene,
        _ engine: DemoEngine,
        _ app: AppDatabase,
        _ interruption: Interruption
    ) async throws -> DayResult {
        try await app.seed(scene.population, interruption)
        try interruption.check()
        _ = try await engine.engine.migrator.migrate()
        try interruption.check()
        var day = DemoDay(
            engine: engine,
            app: app,
            apple: scene.apple,
            directory: scene.directory,
            interruption: interruption
        )
        say(report.tableHead, interruption)
        return try await day.run { line, secondOfDay in
            say(report.hour(line, secondOfDay: secondOfDay), interruption)
        }
    }

    // MARK: The cluster

    private func startCluster() async throws(DemoError) -> LocalCluster {
        do {
            return try await offThePool { try LocalCluster(LocalCluster.Options(maxConnections: 20)) }
        } catch {
            throw Self.demoError(error)
        }
    }

    private func stop(_ cluster: LocalCluster) async {
        // Stopping can't fail.
        _ = try? await offThePool { cluster.stop() }
    }

    // MARK: Values

    /// The next full hour, because real instants (registrations, the migration) must be before the day.
    static func nextHour(after now: Instant) -> Instant {
        Instant(seconds: now.seconds - now.seconds % 3600 + 3600)
    }

    static func demoError(_ error: any Error) -> DemoError {
        switch error {
        case let error as DemoError: error
        case let error as LocalPostgresError: DemoError(.database, "can't start a private PostgreSQL: \(error.context)")
        case let error as PostgresError: DemoError(.database, "the private PostgreSQL fails: \(error)")
        default: DemoError(.daemon, "\(error)")
        }
    }
}
