import APNs
import Base
package import Configuration
package import Core
import Postgres
import Synchronization
import TimeZones

package import struct FoundationEssentials.UUID

/// The parts that do the work: database, lanes and pipeline. The service, `run --once`, the demo and the tests use it.
package final class Engine: Sendable {
    let assembly: Assembly
    package let store: Store
    package let migrator: Migrator
    package let lanes: Lanes
    package let pipeline: Pipeline
    let reporter: Reporter
    private let clock: PolicyClock
    private let daemonID: UUID
    private let ending = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - clock: the policy's. The database's, unless a test or the demo simulates one.
    ///   - daemonID: identifies the daemon in the database. nil: a new id.
    ///   - onEvent: called for each event of a sweep, after the reporter.
    ///   - onDatabaseFailure: called for each failed attempt to connect, after the reporter.
    /// - Throws: what is wrong with the decision service's address.
    package init(
        _ assembly: Assembly,
        reporter: Reporter,
        clock: PolicyClock = PolicyClock(),
        hooks: SweepHooks = SweepHooks(),
        daemonID: UUID? = nil,
        onEvent: @escaping EventSink = { _ in },
        onDatabaseFailure: @escaping @Sendable () -> Void = {}
    ) throws(ConfigurationFault) {
        self.assembly = assembly
        self.reporter = reporter
        reporter.callDevices(by: assembly.deviceNames)
        self.clock = clock
        self.daemonID = daemonID ?? .random()
        let failed: @Sendable (PostgresError) -> Void = { error in
            reporter.databaseFailed(error)
            onDatabaseFailure()
        }
        let connection = assembly.connection
        store = Store(configuration: connection, statementTimeout: connection.statementTimeout, onFailure: failed)
        migrator = Migrator(configuration: connection, onFailure: failed)
        lanes = Lanes(assembly.lanes) { event, lane in reporter.sender(event, lane) }
        let decider = try assembly.decision.map { settings throws(ConfigurationFault) in
            try Decider(settings, clock: clock) { reporter.decisions($0) }
        }
        let delivery = DeliveryContext(
            store: store,
            lanes: lanes,
            clock: clock,
            planner: assembly.planner,
            settings: assembly.settings,
            decider: decider,
            hooks: hooks,
            daemonID: self.daemonID
        ) { event in
            reporter.sweep(event)
            onEvent(event)
        }
        pipeline = Pipeline(delivery)
    }

    /// nil: no service is configured. If nothing about it changed, it is the old decider with its state.
    func decider(for settings: Configuration.Decision?) throws(ConfigurationFault) -> Decider? {
        guard let settings else { return nil }
        if let old = pipeline.decider, old.settings == settings { return old }
        return try Decider(settings, clock: clock) { [reporter] in reporter.decisions($0) }
    }

    /// How many milliseconds `finish` waits: for pushes the response time-out, and after that for the database.
    var longestStop: Int64 { assembly.settings.responseMilliseconds + 5_000 }

    /// Awaits the pushes in flight, records their outcomes and closes the connections. When its time is over, open
    /// intents are left to be recorded as unknown. Call it as soon as a stop is requested: a sweep may wait for an
    /// unreachable database, and ends when the connections close. A second call waits for the same end.
    package func finish() async {
        let task = ending.withLock { ending in
            let task = ending ?? Task { await end() }
            ending = task
            return task
        }
        await task.value
    }

    package var isEnding: Bool { ending.withLock { $0 != nil } }

    private func end() async {
        await pipeline.stop()
        let answersBy = BootTime.milliseconds() + assembly.settings.responseMilliseconds
        let pipeline = pipeline
        let timer = Task {
            try await Task.sleep(for: .milliseconds(longestStop))
            pipeline.abandon()
        }
        await lanes.drain(deadline: answersBy)
        // No database answers and nothing is in flight, so nothing is worth waiting for. The lease ends by itself.
        if reporter.database.trouble != nil, pipeline.openPushes == 0 { pipeline.abandon() }
        await pipeline.quiesce()
        // Otherwise this daemon's users would wait until the lease ends.
        if reporter.database.trouble == nil, pipeline.share != nil {
            await pipeline.leave()
            try? await store.daemonGone(daemonID)
        }
        timer.cancel()
        await store.close()
        await migrator.close()
    }
}
