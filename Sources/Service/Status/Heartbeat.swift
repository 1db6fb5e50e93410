import Configuration
import Delivery
import Glibc
import Postgres
import Store
import Synchronization

import struct FoundationEssentials.UUID

/// Writes into the database that this daemon is alive and how it stands, for `nudged status`. `HeartbeatSchedule` decides when.
final class Heartbeat: Sendable {
    private struct Memory: Sendable {
        var schedule = HeartbeatSchedule()
        var lanes = LaneMemory()
        var lastSweep: SweepSummary?
        var lastWork: SweepSummary?
        /// A row of ours may be there.
        var hasBeaten = false
    }

    private let identity: DaemonIdentity
    private let clock: PolicyClock
    private let memory = Mutex(Memory())
    /// How soon a lane's change is told. Looking costs no query.
    private let pulse = Ticker(every: .seconds(1))

    /// A stop does not wait longer for the database to take the row back; after 30 s without a beat it says the same.
    private static let farewell = Duration.seconds(3)

    /// - Parameters:
    ///   - identity: what the daemon is called.
    ///   - clock: for the instants in the row; the database's.
    init(_ identity: DaemonIdentity, clock: PolicyClock) {
        self.identity = identity
        self.clock = clock
    }

    /// Remembers the sweep that has ended.
    func heard(_ event: SweepEvent) {
        guard case .finished(_, let report) = event else { return }
        let summary = SweepSummary(report, at: clock.now)
        memory.withLock { memory in
            memory.lastSweep = summary
            if report.isWorthALine { memory.lastWork = summary }
        }
    }

    /// Beats until `end`.
    ///
    /// - Parameters:
    ///   - sample: how the daemon stands; nil where its row has no place yet (the schema is not this version's).
    ///   - onFailure: hears of each beat that the database did not take.
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

    /// nil where none is due.
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

    /// No beat comes any more; `run` returns after the one under way.
    func end() { pulse.cancel() }

    /// Takes the row back, on a connection of its own: the others are closed by now. Nothing is said where that fails: the row grows old and says it.
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
