import APNs
import Base
package import Configuration
import Core
import Glibc
import Postgres
package import Systemd
import TimeZones

/// The service: a timer starts sweeps, signals reload or stop it, and systemd gets its state.
///
/// It starts without PostgreSQL and Apple, and waits for them. No input ends it.
package actor Daemon {
    private let load: @Sendable () throws -> Configuration
    private let notifier: Notifier
    private let reporter: Reporter
    private let output: LogOutput
    private let zones: ZoneDatabase
    private var assembly: Assembly
    private let engine: Engine
    private let ticker: Ticker
    private let watchdog: Watchdog
    private let heartbeat: Heartbeat
    private let files: DaemonFiles?
    private let version: String
    /// The start by the policy's clock. Computed once, since two readings can differ by a second.
    private var startedAt: Instant?
    private var exporter: MetricsExporter?
    private var isStopping = false
    /// SIGHUPs whose reload is not over.
    private var reloadsAsked = 0
    private var schemaIsCurrent = false
    /// A statement failed as if the schema had changed. It is checked again, and used until then.
    private var isSchemaInDoubt = false
    /// CLOCK_BOOTTIME milliseconds when the schema was last usable. nil: never.
    private var schemaCheckedAt: Int64?
    /// CLOCK_BOOTTIME milliseconds.
    private var nextMaintenance: Int64 = 0
    /// Where the walk over reminders without a pending occurrence continues.
    private var remindersSeen: ReminderPlace?

    private static let schemaMilliseconds: Int64 = 10_000
    private static let maintenanceMilliseconds: Int64 = 3_600_000
    /// What was done may leave more to do, and a partition that a reader blocked must not wait for an hour.
    private static let soonMilliseconds: Int64 = 60_000

    /// - Parameters:
    ///   - load: reads the configuration. Called again at each reload.
    ///   - output: the log. The configuration sets its level.
    ///   - files: where commands find this daemon. nil: nowhere.
    ///   - version: the program's, for the journal and `nudged status`.
    /// - Throws: what is wrong with the configuration.
    package init(
        load: @escaping @Sendable () throws -> Configuration,
        output: LogOutput,
        notifier: Notifier,
        files: DaemonFiles?,
        version: String
    ) throws {
        (self.load, self.files, self.version) = (load, files, version)
        (self.notifier, self.output) = (notifier, output)
        reporter = Reporter { output.write($0) }
        zones = ZoneDatabase()
        let configuration = try load()
        output.setLevel(configuration.logLevel)
        assembly = try Assembly(configuration, zones: zones)
        ticker = Ticker(every: assembly.schedule.interval)
        let watchdog = Watchdog(notifier, files, longestWait: assembly.longestWait)
        let clock = PolicyClock()
        let reporter = reporter
        let caller = try assembly.heartbeat.map { try HeartbeatCaller($0) { reporter.heartbeat($0) } }
        let heartbeat = Heartbeat(version, clock: clock, caller: caller)
        (self.watchdog, self.heartbeat) = (watchdog, heartbeat)
        engine = try Engine(
            assembly,
            reporter: reporter,
            clock: clock,
            hooks: .ofProcess,
            daemonID: heartbeat.id,
            onEvent: { event in
                watchdog.progress()
                heartbeat.heard(event)
            },
            // An attempt to connect is progress too: a restart does not help against an unreachable database.
            onDatabaseFailure: {
                watchdog.progress()
                _ = notifier.status("waiting for PostgreSQL: \(reporter.database.trouble ?? "")")
            }
        )
    }

    /// Runs until SIGTERM or SIGINT. Then it stops claiming, awaits the pushes in flight and returns.
    package func run() async {
        let end: @Sendable () -> Void = { Task { await self.stop() } }
        let signals = SignalSource([SIGTERM: end, SIGINT: end, SIGHUP: { Task { await self.askReload() } }])
        reporter.zonesAre(zones.reload(), in: zones.directory)
        _ = notifier.ready(status: "waiting for the first sweep")
        let interval = assembly.schedule.interval
        let fields = ["version": version, "interval_ms": "\(interval.milliseconds)"]
        reporter.say(.daemonReady, "nudged \(version) is ready; a sweep every \(interval.text)", fields)
        // Independent of the sweeps: a sweep of several minutes must not look like a dead daemon.
        let beating = Task { [heartbeat, engine, reporter] in
            await heartbeat.run(engine.store, state: { await self.stateToWrite() }) { reporter.statusFailed($0) }
        }
        let answering = Task { [engine] in await engine.pipeline.answerPreviews() }
        let exporter = MetricsExporter(connection: assembly.connection, reporter: reporter) { await self.metrics() }
        self.exporter = exporter
        await exporter.apply(assembly.metrics)
        for await _ in ticker.ticks {
            if isStopping { break }
            await tick()
        }
        answering.cancel()
        await engine.finish()
        heartbeat.end()
        await beating.value
        await exporter.apply(nil)
        self.exporter = nil
        await heartbeat.caller?.close()
        if reporter.database.trouble == nil { await heartbeat.takeBack(assembly.connection) }
        reporter.tellAllRepeats()
        reporter.say(.daemonStopped, "stopped: nothing is on the wire")
        withExtendedLifetime(signals) {}
    }

    private func tick() async {
        watchdog.progress()
        reporter.tellRepeats()
        tellStatus()
        do throws(PostgresError) {
            guard try await schemaCheck() else { return }
            // Before the sweep: after a week without a daemon, new rows would stay in the default partition.
            await maintain()
            try await engine.pipeline.sweep()
            if engine.pipeline.isOutdated { schemaIsCurrent = false } else { reporter.databaseAnswered() }
        } catch {
            doubtSchema(error)
            // `cancelled` and `notConnected` come from this daemon's own stop.
            if !isStopping {
                heartbeat.failed(error)
                reporter.databaseFailed(error)
            }
        }
        watchdog.progress()
        tellStatus()
    }

    /// Whether this version can work with the schema. Checked in each tick until it can.
    private func schemaCheck() async throws(PostgresError) -> Bool {
        if schemaIsCurrent, !isSchemaInDoubt { return true }
        let isFirst = schemaCheckedAt == nil
        let schemaState =
            isFirst ? try await engine.migrator.schemaState() : try await Migrator.schemaState(assembly.connection)
        isSchemaInDoubt = false
        guard schemaState.isUsable else {
            schemaIsCurrent = false
            reporter.schemaIs(schemaState)
            return false
        }
        reporter.databaseAnswered()
        if isFirst, schemaState != .current { reporter.say(.schemaDiffers, schemaState.text) }
        schemaIsCurrent = true
        schemaCheckedAt = BootTime.milliseconds()
        await engine.migrator.close()
        ThisProcess.dropUnusedCode()
        return true
    }

    /// Class 42, except a missing right: a newer version may have migrated the schema, so check it again.
    private func doubtSchema(_ error: PostgresError) {
        guard let state = error.sqlState, state.hasPrefix("42"), state != "42501", let schemaCheckedAt,
            BootTime.milliseconds() - schemaCheckedAt > Self.schemaMilliseconds
        else { return }
        isSchemaInDoubt = true
    }

    private func maintain() async {
        let now = BootTime.milliseconds()
        guard now >= nextMaintenance else { return }
        nextMaintenance = now + Self.soonMilliseconds
        do throws(PostgresError) {
            let (made, dropped) = try await engine.store.maintainDelivery()
            let forgotten = try await engine.store.pruneMessageKeys()
            let isDone = try await forgetReminders()
            if made == 0, dropped == 0, forgotten == 0, isDone { nextMaintenance = now + Self.maintenanceMilliseconds }
        } catch {
            // The sweep reports a database that does not answer.
            if !isStopping, !error.isTransient || error.sqlState == "55P03" { reporter.partitionsFailed(error) }
        }
    }

    /// Deletes reminders without a pending occurrence, one page at a time. Returns whether this was the last page. If
    /// the app holds a row, the rest waits for the next hour.
    private func forgetReminders() async throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            remindersSeen = try await engine.store.pruneReminders(from: remindersSeen ?? .start)
        } catch {
            guard error.sqlState == "55P03" else { throw error }
            remindersSeen = nil
        }
        return remindersSeen == nil
    }

    private func tellStatus() {
        var parts: [String] = []
        if isStopping { parts.append("stopping: waiting for pushes in flight") }
        if let trouble = reporter.database.trouble { parts.append("waiting for PostgreSQL: \(trouble)") }
        if !schemaIsCurrent && parts.isEmpty { parts.append("waiting for PostgreSQL") }
        if parts.isEmpty, let failure = heartbeat.failureText { parts.append(failure) }
        parts += engine.lanes.troubleTexts
        parts.append(reporter.lastSweepText ?? "no sweep yet")
        if !isStopping { parts.append("next within \(assembly.schedule.interval.text)") }
        _ = notifier.status(parts.joined(separator: "; "))
    }

    // MARK: How it stands, for `nudged status`

    private func stateToWrite() -> DaemonState? {
        tellStatus()
        return schemaIsCurrent ? state() : nil
    }

    private func state() -> DaemonState {
        heartbeat.state(of: engine, lostLines: output.lost, interval: assembly.schedule.interval)
    }

    private func metrics() -> DaemonMetrics {
        if startedAt == nil {
            startedAt = engine.pipeline.clock.now.map { $0 - (BootTime.milliseconds() - heartbeat.startedAt) / 1000 }
        }
        return DaemonMetrics(
            version: version,
            startedAt: startedAt,
            state: state(),
            rangesOwned: engine.pipeline.share?.ranges.count ?? 0,
            totals: engine.pipeline.totals,
            book: heartbeat.book,
            paused: engine.pipeline.planner.paused,
            isDatabaseUp: reporter.database.waitsForSchema || schemaCheckedAt != nil && !reporter.database.isAway,
            isSchemaUsable: schemaIsCurrent
        )
    }

    /// nil: no address is configured. If nothing about it changed, it is the old caller with its state.
    private func caller(for settings: Configuration.Heartbeat?) throws(ConfigurationFault) -> HeartbeatCaller? {
        guard let settings else { return nil }
        if let old = heartbeat.caller, old.settings == settings { return old }
        return try HeartbeatCaller(settings) { [reporter] in reporter.heartbeat($0) }
    }

    // MARK: Reload

    /// One reload at a time. A SIGHUP during a reload starts another one, since the files may have changed.
    private func askReload() async {
        reloadsAsked += 1
        guard reloadsAsked == 1 else { return }
        while reloadsAsked > 0 {
            let asked = reloadsAsked
            files?.begin()
            _ = notifier.reloading()
            let faults = await reload()
            _ = notifier.ready()
            files?.end(faults: faults)
            reloadsAsked -= asked
        }
    }

    /// Reads configuration, keys and zones again. Returns what is wrong; then the old ones stay in force.
    private func reload() async -> [String] {
        do {
            reporter.zonesAre(zones.reload(), in: zones.directory)
            let configuration = try load()
            let next = try Assembly(configuration, zones: zones)
            if next.connection != assembly.connection {
                let what = "database.url, allowInsecure or statementTimeout has changed"
                reporter.say(.configurationWarning, "\(what): the old value stays in force until a restart")
            }
            let decider = try engine.decider(for: next.decision)
            let caller = try caller(for: next.heartbeat)
            engine.lanes.reconfigure(next.lanes)
            reporter.callDevices(by: next.deviceNames)
            watchdog.expect(longestWait: next.longestWait)
            await engine.pipeline.reconfigure(planner: next.planner, settings: next.settings, decider: decider)
            heartbeat.call(by: caller)
            if !isStopping { await exporter?.apply(next.metrics) }
            output.setLevel(configuration.logLevel)
            if next.schedule.interval != assembly.schedule.interval { ticker.arm(every: next.schedule.interval) }
            assembly = next
            reporter.say(.reloadDone, "configuration, key and time zones were read again")
            return []
        } catch {
            let faults = "\(error)".split(separator: "\n").map(String.init)
            for fault in faults { reporter.say(.reloadFailed, "the old configuration stays in force: \(fault)") }
            return faults
        }
    }

    // MARK: Stop

    private func stop() async {
        guard !isStopping else { return }
        isStopping = true
        let open = engine.pipeline.openPushes
        let inFlight = Elapsed.counted(open, "push", "pushes") + " in flight"
        _ = notifier.stopping(status: "stopping: waiting for \(inFlight)")
        let text = "stopping: nothing new is claimed; waiting for \(inFlight)"
        reporter.say(.daemonStopping, text, ["in_flight": "\(open)"])
        ticker.cancel()
        let patience = Task { await extendStop() }
        await engine.finish()
        patience.cancel()
    }

    /// Extends systemd's time-out by a few seconds, each second, while pushes are awaited. So systemd soon ends a
    /// daemon that hangs, and one whose stop takes longer than `longestStop`.
    private func extendStop() async {
        let last = BootTime.milliseconds() + engine.longestStop
        while !Task.isCancelled, BootTime.milliseconds() < last {
            // Long enough to delete the daemon's row after the pushes (3 s).
            _ = notifier.extendTimeout(by: .seconds(5))
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
