import Base
import Configuration
import Core
import Glibc
import Postgres
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// Writes the daemon's state into its row, for `nudged status`. `HeartbeatSchedule` decides when.
final class Heartbeat: Sendable {
    private struct Memory: Sendable {
        var schedule = HeartbeatSchedule()
        var lanes = LaneMemory()
        var lastSweep: SweepSummary?
        var lastWork: SweepSummary?
        var lastGood: Instant?
        var failure: SweepFailure?
        var rate = ServeRate()
        /// The row may exist.
        var hasBeaten = false
    }

    private let identity: DaemonIdentity
    private let clock: PolicyClock
    private let memory = Mutex(Memory())
    /// How often the state is compared. A comparison needs no query.
    private let pulse = Ticker(every: .seconds(1))

    /// How long a stop waits for the row's deletion. Without it, the daemon counts as dead 30 s after its last beat.
    private static let farewell = Duration.seconds(3)

    /// - Parameters:
    ///   - identity: identifies the daemon.
    ///   - clock: the database's, for the instants in the row.
    init(_ identity: DaemonIdentity, clock: PolicyClock) {
        self.identity = identity
        self.clock = clock
    }

    /// Remembers a sweep that has ended, and statements that failed.
    func heard(_ event: SweepEvent) {
        switch event {
        case .statementFailed(let error): failed(error)
        case .finished(_, let report): finished(report)
        default: break
        }
    }

    private func finished(_ report: SweepReport) {
        let now = clock.now
        let summary = SweepSummary(report, at: now)
        memory.withLock { memory in
            memory.lastSweep = summary
            if report.isWorthALine { memory.lastWork = summary }
            if report.isGood { memory.lastGood = now }
            // Only known with a clock: a sweep is not accepted before it was read.
            if report.isAccepted, memory.failure?.until == nil { memory.failure?.until = now }
        }
    }

    /// A sweep failed. It counts as failing until the database accepts one.
    func failed(_ error: PostgresError) {
        let now = clock.now
        memory.withLock { memory in
            let isOngoing = memory.failure.map { $0.until == nil } ?? false
            memory.failure = SweepFailure(error, since: isOngoing ? memory.failure?.since ?? now : now)
        }
    }

    /// Why sweeps fail, as text. nil: they don't.
    var failureText: String? {
        memory.withLock { memory in memory.failure.flatMap { $0.until == nil ? $0.text : nil } }
    }

    /// Writes the row until `end`.
    ///
    /// - Parameters:
    ///   - sample: the current state. nil if the schema is not usable yet.
    ///   - onFailure: called for each write that failed.
    func run(
        _ store: Store,
        sample: @Sendable () async -> DaemonSample?,
        onFailure: @Sendable (PostgresError) -> Void
    ) async {
        for await _ in pulse.ticks {
            guard let sample = await sample(), let beat = beat(sample) else { continue }
            do throws(PostgresError) {
                try await store.heartbeat(beat)
            } catch {
                onFailure(error)
            }
        }
    }

    /// nil: no write is due.
    private func beat(_ sample: DaemonSample) -> DaemonBeat? {
        let (now, boot) = (clock.now, BootTime.milliseconds())
        return memory.withLock { memory in
            let lanes = memory.lanes.reports(sample.lanes, now: now, boot: boot)
            let rate = memory.rate.perMinute(served: sample.served, now: boot)
            let (decision, failure) = (sample.decision, memory.failure)
            guard memory.schedule.isDue(now: boot, lanes: lanes, decision: decision, failure: failure) else {
                return nil
            }
            memory.schedule.noteBeat(now: boot, lanes: lanes, decision: decision, failure: failure)
            memory.hasBeaten = true
            let state = DaemonState(
                lanes: lanes,
                decision: decision,
                lastSweep: memory.lastSweep,
                lastWork: memory.lastWork,
                lastGood: memory.lastGood,
                failure: failure,
                usersPerMinute: rate,
                inFlight: sample.inFlight,
                lostLines: sample.lostLines,
                intervalMilliseconds: sample.interval.milliseconds
            )
            return identity.beat(state: state.json)
        }
    }

    /// Stops the beats. `run` returns after the one that runs.
    func end() { pulse.cancel() }

    /// Deletes the row on a connection of its own, since the others are closed. A failure is ignored: the row's age
    /// shows that the daemon has ended.
    func takeBack(_ configuration: ConnectionConfiguration) async {
        guard memory.withLock({ $0.hasBeaten }) else { return }
        let store = Store(configuration: configuration, statementTimeout: Self.farewell)
        let limit = Task {
            try await Task.sleep(for: Self.farewell)
            await store.close()
        }
        try? await store.daemonGone(identity.id)
        limit.cancel()
        await store.close()
    }
}
