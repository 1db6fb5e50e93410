import Configuration
import Delivery
import Glibc
import Postgres
import Store
import Synchronization

import struct FoundationEssentials.UUID

/// Writes the daemon's state into its row, for `nudged status`. `HeartbeatSchedule` decides when.
final class Heartbeat: Sendable {
    private struct Memory: Sendable {
        var schedule = HeartbeatSchedule()
        var lanes = LaneMemory()
        var lastSweep: SweepSummary?
        var lastWork: SweepSummary?
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

    /// Remembers a sweep that has ended.
    func heard(_ event: SweepEvent) {
        guard case .finished(_, let report) = event else { return }
        let summary = SweepSummary(report, at: clock.now)
        memory.withLock { memory in
            memory.lastSweep = summary
            if report.isWorthALine { memory.lastWork = summary }
        }
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
            guard memory.schedule.isDue(now: boot, lanes: lanes, decision: sample.decision) else { return nil }
            memory.schedule.noteBeat(now: boot, lanes: lanes, decision: sample.decision)
            memory.hasBeaten = true
            let state = DaemonState(
                lanes: lanes,
                decision: sample.decision,
                lastSweep: memory.lastSweep,
                lastWork: memory.lastWork,
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
