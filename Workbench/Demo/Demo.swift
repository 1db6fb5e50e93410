import Core
import Glibc
import LocalPostgres
import Postgres
import Service
package import Systemd
import TimeZones

/// A day in fast motion, with a private PostgreSQL and a simulated Apple, and with checks at its end.
///
/// Everything except Apple and the clock is real: server, migrations, triggers, sweeps, TLS and HTTP/2.
package struct Demo: Sendable {
    let users: Int
    let seed: UInt64
    let output: DemoOutput
    /// The operator's rules as environment variables. Check-ins without a chosen time come from 10:00 to 14:00. Those
    /// that wait for the end of quiet hours come in the half hour after it.
    var rules = ["POLICY_SPREAD_MINUTES": "240", "POLICY_QUIET_END_JITTER_MINUTES": "30"]

    /// The day's first instant; nil for the next full UTC hour.
    var start: Instant?

    /// The same seed gives the same people.
    package init(users: Int = 10_000, seed: UInt64 = 1, output: DemoOutput = .standard()) {
        self.users = max(users, 1)
        self.seed = seed
        self.output = output
    }

    /// Runs the day. SIGINT and SIGTERM end it early. Before this returns, the server is stopped and its folder
    /// removed. (After SIGKILL the server's own watchdog does that.)
    ///
    /// - Returns: `success` if all checks passed: record and simulator agree, nobody was woken, no check-in reached a
    ///   device twice, and exactly the stale tokens were deleted. `software` if one failed, `interrupted` after a
    ///   signal, `unavailable` if something is missing; the message says what and how to fix it.
    package func run() async -> ExitStatus {
        let interruption = Interruption()
        let signals = SignalSource([SIGINT: { interruption.raise() }, SIGTERM: { interruption.raise() }])
        defer { withExtendedLifetime(signals) {} }
        return await run(interruption)
    }

    func run(_ interruption: Interruption) async -> ExitStatus {
        do {
            let result = try await play(interruption)
            // Everything is stopped and removed. Only the report is left to print.
            say(output.end(result), interruption)
            return result.holds ? .success : .software
        } catch {
            // An error after a signal is the signal's (a terminal sends Ctrl-C to initdb too).
            let reason = interruption.error ?? Self.demoError(error)
            output.complain(reason.description)
            return reason.exitStatus
        }
    }

    private func say(_ text: String, _ interruption: Interruption) {
        if !output.write(text) { interruption.raise(Interruption.unread) }
    }

    private func play(_ interruption: Interruption) async throws -> DayResult {
        let zones = ZoneDatabase()
        // The next full hour, because real instants (registrations, the migration) must be before the day.
        let start = self.start ?? Instant(seconds: (Int64(time(nil)) / 3600 + 1) * 3600)
        guard !zones.names.isEmpty else {
            let fix = "install them: apt-get install tzdata"
            throw CommandFailure("no time zones in \(zones.directory); \(fix)", .unavailable)
        }
        let population = DemoPopulation(count: users, seed: seed, zones: zones.names, start: start.seconds)
        let apple = try SimulatedApple.start(devices: population.devicesByToken)
        defer { apple.simulator.stop() }
        try interruption.check()
        let cluster = try await onOwnThread { try LocalCluster(LocalCluster.Options(maxConnections: 20)) }
        let played = await Task {
            try interruption.check()
            let scene = DemoScene(population: population, zones: zones, start: start, apple: apple, cluster: cluster)
            return try await play(scene, interruption)
        }.result
        try await onOwnThread { cluster.stop() }
        return try played.get()
    }

    private func play(_ scene: DemoScene, _ interruption: Interruption) async throws -> DayResult {
        let configuration = try ConnectionConfiguration.parse(url: scene.cluster.url(), applicationName: "app")
        let app = AppDatabase(connection: try await Connection.open(configuration))
        say(output.head(scene, version: try await app.serverVersion(), users: users), interruption)
        let engine = try DemoEngine(scene, rules: rules, interruption)
        interruption.onRaise { Task { await engine.cutOff() } }
        do {
            try await app.seed(scene.population, interruption)
            try interruption.check()
            _ = try await engine.engine.migrator.migrate()
            try await engine.engine.migrator.activateTemplates()
            try interruption.check()
            var day = DemoDay(scene, engine, app, interruption)
            say(output.tableHead, interruption)
            let result = try await day.run { line, secondOfDay in
                say(output.hour(line, secondOfDay: secondOfDay), interruption)
            }
            interruption.forgetAction()
            await engine.engine.finish()
            await app.close()
            return result
        } catch {
            await engine.cutOff()
            await app.close()
            throw error
        }
    }

    static func demoError(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: error
        case let error as LocalPostgresError:
            CommandFailure("can't start a private PostgreSQL: \(error.context)", .unavailable)
        case let error as PostgresError: CommandFailure("the private PostgreSQL fails: \(error)", .unavailable)
        default: CommandFailure("\(error)", .software)
        }
    }
}

/// What a day has besides the daemon and the app's connection.
struct DemoScene: Sendable {
    let population: DemoPopulation
    let zones: ZoneDatabase
    let start: Instant
    let apple: SimulatedApple
    let cluster: LocalCluster
}
