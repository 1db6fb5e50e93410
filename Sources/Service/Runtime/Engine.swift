package import Configuration
package import Delivery
package import APNs
import Logging
import Postgres
package import Store
import Synchronization
import Systemd
import TimeZones

/// The parts that do the work, put together: database, lanes and pipeline. The service, `run --once`, the demo and the tests drive it.
package final class Engine: Sendable {
    let assembly: Assembly
    package let store: Store
    package let migrator: Migrator
    package let lanes: Lanes
    package let pipeline: Pipeline
    let reporter: Reporter
    private let clock: PolicyClock
    private let identity: DaemonIdentity
    private let ending = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - clock: the policy's; the database's unless a test or the demo turns another.
    ///   - identity: what it is called in the database.
    ///   - onDatabaseFailure: hears of each failed attempt to connect, beside the reporter.
    ///   - onEvent: hears of each sweep beside the reporter.
    /// - Throws: `ConfigurationFault` where the key is none.
    package init(
        _ assembly: Assembly,
        reporter: Reporter,
        clock: PolicyClock = .database(),
        hooks: SweepHooks = SweepHooks(),
        identity: DaemonIdentity = DaemonIdentity(version: ""),
        onEvent: @escaping @Sendable (SweepEvent) -> Void = { _ in },
        onDatabaseFailure: @escaping @Sendable () -> Void = {}
    ) throws(ConfigurationFault) {
        self.assembly = assembly
        self.reporter = reporter
        reporter.callDevices(by: assembly.deviceNames)
        self.clock = clock
        self.identity = identity
        let failed: @Sendable (PostgresError) -> Void = { error in
            reporter.databaseFailed(error)
            onDatabaseFailure()
        }
        store = Store(
            configuration: assembly.connection,
            statementTimeout: assembly.statementTimeout,
            onFailure: failed
        )
        migrator = Migrator(configuration: assembly.connection, onFailure: failed)
        lanes = try Self.lanes(assembly.lanes, reporter)
        pipeline = Pipeline(
            store: store,
            lanes: lanes,
            clock: clock,
            planner: assembly.planner,
            settings: assembly.settings,
            decider: try Self.decider(assembly.decision, clock, reporter),
            hooks: hooks,
            daemonID: identity.id
        ) { event in
            reporter.sweep(event)
            onEvent(event)
        }
    }

    private static func lanes(
        _ configurations: [LaneConfiguration],
        _ reporter: Reporter
    ) throws(ConfigurationFault) -> Lanes {
        do throws(APNsError) {
            return try Lanes(configurations) { event, lane in reporter.sender(event, lane) }
        } catch {
            throw ConfigurationFault.key(error)
        }
    }

    private static func decider(
        _ settings: Configuration.Decision?,
        _ clock: PolicyClock,
        _ reporter: Reporter
    ) throws(ConfigurationFault) -> Decider? {
        guard let settings else { return nil }
        return try Decider(settings, clock: clock) { reporter.decisions($0) }
    }

    /// The decision service of a new configuration; the same where nothing about it changed, with what is known of it.
    func decider(
        for settings: Configuration.Decision?,
        replacing old: Decider?
    ) throws(ConfigurationFault) -> Decider? {
        if let old, old.settings == settings { return old }
        return try Self.decider(settings, clock, reporter)
    }

    /// How its parts stand now.
    func sample(lostLines: Int, interval: Duration) async -> DaemonSample {
        DaemonSample(
            lanes: lanes.all.map { LaneSample(lane: $0.identity, status: $0.sender.status) },
            decision: pipeline.decider?.standing,
            inFlight: pipeline.openPushes,
            lostLines: lostLines,
            interval: interval
        )
    }

    /// How long a stop waits for the database, beyond the response time-out.
    static let stopGrace: Int64 = 5_000

    /// Milliseconds after which `finish` has returned.
    var longestStop: Int64 { assembly.settings.responseMilliseconds + Self.stopGrace }

    /// Pushes in flight resolve, their outcomes are recorded, then the connections close. Bounded: what the database does not take by then
    /// is left to be recorded as unknown.
    ///
    /// Called at once when a stop is asked for, not after the sweep under way: that one may be waiting for a database that is away, and ends when
    /// the connections close. Called again, it waits for the same end.
    package func finish() async {
        let task = ending.withLock { ending in
            let task = ending ?? Task { await end() }
            ending = task
            return task
        }
        await task.value
    }

    /// A stop was asked for, or the work is done.
    package var isEnding: Bool { ending.withLock { $0 != nil } }

    private func end() async {
        await pipeline.stop()
        let answersBy = BootTime.milliseconds() + assembly.settings.responseMilliseconds
        let pipeline = pipeline
        let timer = Task {
            try await Task.sleep(for: .milliseconds(assembly.settings.responseMilliseconds + Self.stopGrace))
            pipeline.abandon()
        }
        await lanes.drain(deadline: answersBy)
        // With the database away and nothing in flight there is nothing to wait for: the lease ends by itself.
        if reporter.databaseTroubleWords != nil, pipeline.openPushes == 0 { pipeline.abandon() }
        await pipeline.quiesce()
        // Else its users would wait for the lease's end.
        if reporter.databaseTroubleWords == nil, pipeline.share != nil {
            await pipeline.leave()
            try? await store.daemonGone(identity.id)
        }
        timer.cancel()
        await store.close()
        await migrator.close()
    }
}

extension ConfigurationFault {
    /// The sender's word on the signing key.
    package static func key(_ error: APNsError) -> ConfigurationFault {
        ConfigurationFault(
            key: "apns.privateKey",
            what: "\(error)",
            mend: "use the .p8 file of Apple's developer portal as it is"
        )
    }
}
