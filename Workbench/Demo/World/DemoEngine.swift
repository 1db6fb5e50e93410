import Configuration
import Core
import Service
import APNsSimulator
import LocalPostgres
import Logging
import Postgres
import TimeZones

/// The daemon's parts as `nudged run` puts them together, with a clock that the demo sets.
struct DemoEngine: Sendable {
    let engine: Engine
    let clock: PolicyClock
    let counter: DayCounter

    /// Real time without progress after which the demo gives up.
    private static let patience: Duration = .seconds(30)

    init(
        _ configuration: Configuration,
        zones: ZoneDatabase,
        start: Instant,
        interruption: Interruption
    ) throws(DemoError) {
        let clock = PolicyClock.simulated(at: start)
        let counter = DayCounter()
        self.clock = clock
        self.counter = counter
        do {
            engine = try Engine(
                try Assembly(configuration, zones: zones),
                reporter: Reporter(Logger(label: "nudged.demo") { _ in TroubleLog(interruption) }),
                clock: clock
            ) { event in
                if case .finished(_, let report) = event { counter.add(report) }
            }
        } catch {
            throw DemoError(.daemon, "the daemon refuses the demo's configuration: \(error)")
        }
    }

    /// The configuration, loaded as the daemon does it, from environment variables.
    static func configuration(
        cluster: LocalCluster,
        apple: SimulatedApple,
        caFile: String,
        rules: [String: String]
    ) throws(DemoError) -> Configuration {
        let environment: [String: String] = [
            "DATABASE_URL": cluster.url(),
            "APNS_TEAM_ID": SimulatedApple.teamID,
            "APNS_KEY_ID": SimulatedApple.keyID,
            "APNS_PRIVATE_KEY": apple.certificate.providerKey.privateKey,
            "APNS_BUNDLE_ID": SimulatedApple.topic,
            "APNS_ENVIRONMENT": "sandbox",
            "APNS_ENDPOINT": apple.simulator.endpoint,
            "APNS_CA_FILE": caFile,
            // No other daemon waits for these users. So a machine that sleeps for a minute costs no outcome.
            "SCHEDULE_LEASE": "1h",
        ]
        do throws(ConfigurationError) {
            // No such file, so that the machine's own configuration is not used.
            return try ConfigurationLoader.load(
                environment: environment.merging(rules) { $1 },
                standardPath: cluster.folder + "/none.yaml"
            )
            .configuration
        } catch {
            throw DemoError(.daemon, "the daemon refuses the demo's configuration: \(error)")
        }
    }

    /// Sweeps at this instant until nobody is due. Where a push could not be written, the clock goes on by a second,
    /// since its user is due then.
    func serve(at instant: Instant, _ interruption: Interruption) async throws {
        var now = instant
        clock.turn(to: now)
        var before = engine.pipeline.totals
        var deadline = ContinuousClock.now + Self.patience
        while true {
            try interruption.check()
            try await engine.pipeline.sweep()
            await engine.pipeline.quiesce()
            let totals = engine.pipeline.totals
            if totals.unsent > before.unsent {
                now = now + 1
                clock.turn(to: now)
            }
            if totals.progress == before.progress {
                // No user was finished: nobody is due, or the lane accepted nothing.
                let remaining = try await engine.store.remaining(
                    now: now,
                    ranges: engine.pipeline.share?.ranges ?? []
                )
                guard remaining.isAnyoneDue else {
                    // The day's clock moves faster than a window of refusals closes, so close it now.
                    if await engine.pipeline.concludeWindows() { continue }
                    return
                }
                guard ContinuousClock.now < deadline else {
                    throw DemoError(.apple, "users are due, but no push gets through: \(engine.lanes.troubleTexts)")
                }
                try await Task.sleep(for: .milliseconds(5))
            } else {
                deadline = ContinuousClock.now + Self.patience
            }
            before = totals
        }
    }
}
