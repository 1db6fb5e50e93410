import APNs
public import Logging
import Glibc
import Postgres
import Store
import Synchronization
public import Systemd
import TimeZones

import struct FoundationEssentials.UUID

/// The long-running service: a timer drives sweeps, signals reload and stop it, systemd hears how it stands.
///
/// It starts without PostgreSQL and without Apple, and waits for them; no input ends it.
public actor Daemon {
    private let load: @Sendable () throws -> Configuration
    private let notifier: Notifier
    private let reporter: Reporter
    private let output: LogOutput

    private let zones: ZoneDatabase
    private var assembly: Assembly
    private let store: Store
    private let migrator: Migrator
    private let sender: Sender
    private let sweeper: Sweeper
    private let ticker: Ticker
    private let watchdog: Watchdog
    private var isStopping = false
    private var schemaIsCurrent = false
    private var lastMaintenance: Int64?
    private let lastSweep = Mutex<String?>(nil)

    /// How long a stop waits for answers and for the database, beyond the response time-out.
    private static let stopGrace: Int64 = 5_000
    private static let maintenanceMilliseconds: Int64 = 3_600_000
    private static let daysAhead: Int32 = 7
    private static let keepDays: Int32 = 90

    /// - Parameters:
    ///   - load: reads the configuration; called again at each reload.
    ///   - log: where lines go.
    ///   - notifier: systemd, or nobody.
    /// - Throws: what is wrong with the configuration.
    public init(
        load: @escaping @Sendable () throws -> Configuration, log: Logger, output: LogOutput, notifier: Notifier
    ) throws {
        let reporter = Reporter(log)
        let watch = Mutex<Watchdog?>(nil)
        self.load = load
        self.notifier = notifier
        self.reporter = reporter
        self.output = output
        zones = ZoneDatabase()
        let configuration = try load()
        output.setLevel(configuration.logLevel)
        let assembly = try Assembly(configuration, zones: zones)
        self.assembly = assembly
        let database: @Sendable (PostgresError) -> Void = { reporter.databaseFailed($0) }
        store = Store(
            configuration: assembly.connection, statementTimeout: assembly.statementTimeout, onFailure: database
        )
        migrator = Migrator(configuration: assembly.connection, onFailure: database)
        do {
            sender = try Sender(
                configuration: assembly.sender, clock: .system(), log: { reporter.sender($0) }, onStateChange: { _ in }
            )
        } catch {
            throw ConfigurationFault(
                key: "apns.privateKey", what: "\(error)", mend: "use the .p8 file of Apple's developer portal as it is"
            )
        }
        ticker = Ticker(every: assembly.schedule.interval)
        let watchdog = Watchdog(
            notifier,
            longestWait: 2 * assembly.statementTimeout.milliseconds + assembly.schedule.interval.milliseconds + 30_000
        )
        self.watchdog = watchdog
        watch.withLock { $0 = watchdog }
        sweeper = Sweeper(
            store: store, sender: sender, clock: .database(), judge: assembly.judge, settings: assembly.settings
        ) { event in
            watchdog.progress()
            reporter.sweep(event)
        }
    }

    // MARK: The service

    /// Runs until SIGTERM or SIGINT; then stops claiming, lets pushes in flight resolve, and returns.
    public func run() async {
        let signals = SignalSource([
            SIGTERM: { Task { await self.stop() } },
            SIGINT: { Task { await self.stop() } },
            SIGHUP: { Task { await self.reload() } },
        ])
        _ = notifier.ready(status: "waiting for the first sweep")
        reporter.say(.daemonReady, "ready; a sweep every \(assembly.schedule.interval)")
        for await _ in ticker.ticks {
            if isStopping { break }
            await tick()
        }
        await finish()
        withExtendedLifetime(signals) {}
    }

    private func tick() async {
        watchdog.progress()
        tellStatus()
        do throws(PostgresError) {
            guard try await schemaCheck() else { return }
            try await sweeper.sweep()
            reporter.databaseAnswered()
            await maintain()
        } catch {
            // `cancelled` and `notConnected` are our own stop.
            if !isStopping { reporter.databaseFailed(error) }
        }
        watchdog.progress()
        tellStatus()
    }

    /// Whether the schema is this version's. Asked until it is.
    private func schemaCheck() async throws(PostgresError) -> Bool {
        if schemaIsCurrent { return true }
        let standing = try await migrator.standing()
        reporter.databaseAnswered()
        guard standing != .current else {
            schemaIsCurrent = true
            await migrator.close()
            return true
        }
        reporter.schemaIs(standing)
        return false
    }

    private func maintain() async {
        let now = BootTime.milliseconds()
        if let lastMaintenance, now - lastMaintenance < Self.maintenanceMilliseconds { return }
        lastMaintenance = now
        do throws(PostgresError) {
            _ = try await store.maintainDelivery(daysAhead: Self.daysAhead, keepDays: Self.keepDays)
        } catch {
            reporter.say(.sweepFailed, .warning, "could not make the record's next partitions: \(error)")
        }
    }

    private func tellStatus() {
        var words: [String] = []
        if isStopping { words.append("stopping: pushes in flight are awaited") }
        if let trouble = reporter.databaseTroubleWords { words.append("waiting for PostgreSQL: \(trouble)") }
        if !schemaIsCurrent && words.isEmpty { words.append("waiting for PostgreSQL") }
        switch sender.status {
        case .idle, .open: break
        case let status: words.append(status.words)
        }
        words.append(reporter.lastSweepWords ?? "no sweep yet")
        if !isStopping { words.append("next within \(assembly.schedule.interval)") }
        _ = notifier.status(words.joined(separator: "; "))
    }

    // MARK: Reload

    /// Reads configuration, key file and zones anew. A bad file leaves the old in force and says so.
    private func reload() async {
        _ = notifier.reloading()
        defer { _ = notifier.ready() }
        do {
            zones.reload()
            let configuration = try load()
            let next = try Assembly(configuration, zones: zones)
            if next.connection != assembly.connection {
                reporter.say(
                    .configurationWarning, .warning, "database.url has changed: it takes a restart to count; the old one stays"
                )
            }
            try sender.reconfigure(next.sender)
            await sweeper.reconfigure(judge: next.judge, settings: next.settings)
            output.setLevel(configuration.logLevel)
            if next.schedule.interval != assembly.schedule.interval { ticker.arm(every: next.schedule.interval) }
            assembly = next
            reporter.say(.reloadDone, .notice, "configuration, key and time zones were read anew")
        } catch {
            reporter.say(.reloadFailed, .error, "the old configuration stays in force: \(error)")
        }
    }

    // MARK: Stop

    private func stop() async {
        guard !isStopping else { return }
        isStopping = true
        _ = notifier.stopping(status: "stopping: pushes in flight are awaited")
        reporter.say(.daemonStopping, "stopping: nothing new is claimed, pushes in flight are awaited")
        await sweeper.stop()
        ticker.cancel()
    }

    /// In-flight pushes resolve, their outcomes are recorded, then the connections close.
    private func finish() async {
        let deadline = BootTime.milliseconds() + assembly.settings.responseMilliseconds + Self.stopGrace
        let sweeper = sweeper
        let timer = Task {
            try await Task.sleep(for: .milliseconds(max(0, deadline - BootTime.milliseconds())))
            await sweeper.abandon()
        }
        await sender.drain(deadline: deadline - Self.stopGrace)
        await sweeper.quiesce()
        timer.cancel()
        await store.close()
        await migrator.close()
        reporter.say(.daemonStopped, "stopped")
    }
}
