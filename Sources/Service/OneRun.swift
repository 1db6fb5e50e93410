import APNs
import Base
package import Configuration
package import Core
import Glibc
import Postgres
package import Systemd
import TimeZones

/// `nudged run --once`: sweeps until nobody is due, then ends.
package struct OneRun: Sendable {
    package struct Result: Sendable {
        package let report: SweepReport
        package let trouble: String?
        package var status: ExitStatus { trouble == nil ? .success : .temporary }
    }

    private let engine: Engine
    /// Milliseconds without progress before it gives up: a minute, or two leases, so that a dead daemon's has ended.
    private let patience: Int64
    /// The same if no lane takes pushes. More time would not change that.
    private static let patienceWithApple: Int64 = 20_000

    package init(_ configuration: Configuration, _ reporter: Reporter) throws {
        let assembly = try Assembly(configuration, zones: ZoneDatabase())
        engine = try Engine(assembly, reporter: reporter, hooks: .ofProcess)
        patience = max(60_000, 2 * assembly.settings.leaseMilliseconds)
    }

    private var report: SweepReport { engine.pipeline.totals }

    /// Sweeps until nobody is due.
    /// - Throws: `PostgresError` if the database can't be used at the start. `CommandFailure` if this version can't
    /// work
    ///   with the schema.
    package func run() async throws -> Result {
        let end: @Sendable () -> Void = { Task { await engine.finish() } }
        let signals = SignalSource([SIGTERM: end, SIGINT: end])
        defer { withExtendedLifetime(signals) {} }
        let patienceWithDatabase = Task { try await giveUpOnDatabase() }
        defer { patienceWithDatabase.cancel() }
        do {
            try await requireDatabase()
            let trouble = try await sweepAll()
            await engine.finish()
            engine.reporter.tellAllRepeats()
            return Result(report: report, trouble: trouble)
        } catch {
            // A stop closed the connections. That is not a failure: users who are left stay due.
            let wasStopped = engine.isEnding
            await engine.finish()
            if !wasStopped, let refused = error as? PostgresError, refused.isHeldUp {
                // What this run sent is recorded. Nobody is lost: users stay due until their outcomes are recorded.
                let text = "a sweep ended early, and users may still be due: run it again. \(refused)"
                return Result(report: report, trouble: text)
            }
            guard wasStopped else { throw error }
            return Result(report: report, trouble: engine.reporter.database.trouble)
        }
    }

    /// The service waits for its database forever, but this command must end.
    private func giveUpOnDatabase() async throws {
        var secondsAway: Int64 = 0
        while secondsAway * 1000 < patience {
            try await Task.sleep(for: .seconds(1))
            secondsAway = engine.reporter.database.trouble == nil ? 0 : secondsAway + 1
        }
        await engine.finish()
    }

    /// Only one attempt, so that the caller gets an error at once.
    private func requireDatabase() async throws {
        let zones = engine.assembly.planner.policy.zones
        engine.reporter.zonesAre(zones.reload(), in: zones.directory)
        let schemaState = try await Migrator.schemaState(engine.assembly.connection)
        guard schemaState.isUsable else { throw schemaState.failure }
        do throws(PostgresError) {
            _ = try await engine.store.maintainDelivery()
        } catch { engine.reporter.partitionsFailed(error) }
    }

    /// Waits for users who are due within this time. Unwritten pushes are due a second later, and the clock counts
    /// whole seconds.
    private static let soonSeconds: Int64 = 2

    private func sweepAll() async throws -> String? {
        var lastProgress = BootTime.milliseconds()
        while !engine.pipeline.isStopping {
            let before = report
            try await engine.pipeline.sweep()
            await engine.pipeline.quiesce()
            engine.reporter.tellRepeats()
            if engine.pipeline.isOutdated { throw try await engine.migrator.schemaState().failure }
            let after = report
            let moved = after.progress > before.progress
            if moved { lastProgress = BootTime.milliseconds() }
            let isAside = await engine.pipeline.isAnyoneAside
            if let text = engine.lanes.stoppedText, engine.lanes.areAllBlocked || !(moved || isAside) { return text }
            let soon = (engine.pipeline.clock.now ?? Instant(seconds: 0)) + Self.soonSeconds
            let ranges = engine.pipeline.share?.ranges ?? []
            let remaining = try await engine.store.remaining(now: soon, ranges: ranges)
            let unsent = after.unsent > before.unsent
            guard remaining.isAnyoneDue || unsent || isAside else {
                // No more answers will come, so close the windows of refused tokens now. Then their nudges end.
                if await engine.pipeline.concludeWindows() { continue }
                return engine.lanes.stoppedText ?? zoneText
            }
            let patience = engine.lanes.areAllBlocked ? Self.patienceWithApple : patience
            guard BootTime.milliseconds() - lastProgress < patience else {
                let texts = engine.lanes.troubleTexts
                return "users are still due" + (texts.isEmpty ? "" : ": \(texts.joined(separator: "; "))")
            }
            if remaining.isAnyoneOurs, moved, !unsent, !isAside { continue }
            // Pushes were not written, or nothing moved: another daemon serves its users, or its lease ends.
            try await Task.sleep(for: .milliseconds(250))
        }
        return nil
    }

    /// Users were postponed because their zones could not be read.
    private var zoneText: String? {
        report.resting[SweepReport.zonesUnread].map {
            "time-zone files can't be read: \(Elapsed.counted($0, "user waits", "users wait"))"
        }
    }
}
