import APNsSimulator
import Configuration
import Core
import LocalPostgres
import Service
import Systemd
import TimeZones

/// The daemon's parts as `nudged run` puts them together, with a clock that the demo sets.
struct DemoEngine: Sendable {
    let engine: Engine
    let clock: PolicyClock

    /// Real time without progress after which the demo gives up.
    private static let patience: Duration = .seconds(30)

    init(_ scene: DemoScene, rules: [String: String], _ interruption: Interruption) throws {
        // In the cluster's folder, so it is removed with it.
        let caFile = scene.cluster.folder + "/ca.pem"
        try TextFile.write(caFile, scene.apple.certificate.authority)
        let environment = [
            "DATABASE_URL": scene.cluster.url(), "APNS_TEAM_ID": SimulatedApple.teamID,
            "APNS_KEY_ID": SimulatedApple.keyID, "APNS_BUNDLE_ID": SimulatedApple.topic,
            "APNS_PRIVATE_KEY": scene.apple.certificate.providerKey.privateKey, "APNS_ENVIRONMENT": "sandbox",
            "APNS_ENDPOINT": scene.apple.simulator.endpoint, "APNS_CA_FILE": caFile,
            // No other daemon waits for these users. So a machine that sleeps for a minute costs no outcome.
            "SCHEDULE_LEASE": "1h",
        ]
        clock = PolicyClock(at: scene.start)
        do {
            // No such file, so that the machine's own configuration is not used.
            let loaded = try ConfigurationLoader.load(
                environment: environment.merging(rules) { $1 },
                standardPath: scene.cluster.folder + "/none.yaml"
            )
            engine = try Engine(
                try Assembly(loaded.configuration, zones: scene.zones),
                reporter: Reporter { TroubleLog.write($0, interruption) },
                clock: clock
            )
        } catch {
            throw CommandFailure("the daemon refuses the demo's configuration: \(error)", .software)
        }
    }

    /// Sweeps until nobody is due. The clock goes on by a second if a push could not be written: it is due then.
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
                let remaining = try await engine.store.remaining(now: now, ranges: engine.pipeline.share?.ranges ?? [])
                guard remaining.isAnyoneDue else {
                    // The day's clock moves faster than a window of refusals closes, so close it now.
                    if await engine.pipeline.concludeWindows() { continue }
                    return
                }
                guard ContinuousClock.now < deadline else {
                    let trouble = "\(engine.lanes.troubleTexts)"
                    throw CommandFailure("users are due, but no push gets through: \(trouble)", .unavailable)
                }
                try await Task.sleep(for: .milliseconds(5))
            } else {
                deadline = ContinuousClock.now + Self.patience
            }
            before = totals
        }
    }

    /// Ends at once: pushes in flight are cut off, and open intents stay in the database, which is thrown away.
    func cutOff() async {
        await engine.pipeline.stop()
        engine.pipeline.abandon()
        await engine.store.close()
        await engine.migrator.close()
        await engine.lanes.drain(deadline: 0)
    }
}

struct SimulatedApple: Sendable {
    let simulator: APNsSimulator
    let certificate: SimulatorCertificate

    static let (teamID, keyID, topic) = ("DEMOTEAM01", "DEMOKEY001", "dev.nudged.demo")

    static func start(devices: [String: DemoDevice]) throws -> SimulatedApple {
        do {
            let certificate = try SimulatorCertificate()
            var settings = SimulatorSettings(keys: [certificate.registered(keyID: keyID, teamID: teamID)])
            settings.topics = [topic]
            let script = SimulatorScript(
                settings: settings,
                perDevice: { token, attempt in devices[token].flatMap { answer($0, attempt: attempt) } }
            )
            let simulator = try APNsSimulator(script: script, certificate: certificate.server)
            try simulator.start()
            return SimulatedApple(simulator: simulator, certificate: certificate)
        } catch {
            throw CommandFailure("the simulated Apple does not start: \(error)", .unavailable)
        }
    }

    static func answer(_ device: DemoDevice, attempt: Int) -> ScriptedAnswer? {
        switch device.answer {
        case .accepted: nil
        case .unregistered(let since): .unregistered(timestamp: since * 1000)
        case .badToken: .answer(status: 400, reason: "BadDeviceToken")
        case .busyOnce: attempt == 1 ? .answer(status: 429, reason: "TooManyRequests") : nil
        case .refusedOnce: attempt == 1 ? .reset(code: 7) : nil
        case .troubledOnce: attempt == 1 ? .answer(status: 503, reason: "ServiceUnavailable") : nil
        }
    }
}
