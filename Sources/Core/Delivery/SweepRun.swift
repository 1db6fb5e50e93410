import Base
import Synchronization

import struct FoundationEssentials.UUID

/// A running sweep. Its report grows until its last user is let go, possibly after the next sweep has begun. Then
/// `onEnd` gets it.
final class SweepRun: Sendable {
    let id = UUID.random()
    private let startedAt = BootTime.milliseconds()
    private let totals: SweepTotals
    private let onEnd: @Sendable (UUID, SweepReport, _ isWhole: Bool) -> Void

    private struct State {
        var report = SweepReport()
        var isWhole = false
        /// The database refused a drain, an intent or a settlement.
        var hasFailed = false
        /// The sweep itself and its users in hand (`HeldUser`).
        var open = 0
    }

    private let state = Mutex(State())

    init(totals: SweepTotals, onEnd: @escaping @Sendable (UUID, SweepReport, _ isWhole: Bool) -> Void) {
        self.totals = totals
        self.onEnd = onEnd
    }

    /// Counts something, for this sweep and for the totals.
    func count(_ body: (inout SweepReport) -> Void) {
        state.withLock { body(&$0.report) }
        totals.count(body)
    }

    /// The sweep claimed until nobody was due or no lane took more.
    func endedWell() { state.withLock { $0.isWhole = true } }

    /// The database refused a drain, an intent or a settlement.
    func failed() { state.withLock { $0.hasFailed = true } }

    func begin() { state.withLock { $0.open += 1 } }

    func end() {
        let ended = state.withLock { state -> State? in
            state.open -= 1
            return state.open == 0 ? state : nil
        }
        guard var ended else { return }
        ended.report.milliseconds = BootTime.milliseconds() - startedAt
        totals.count { $0.milliseconds += ended.report.milliseconds }
        onEnd(id, ended.report, ended.isWhole && !ended.hasFailed)
    }
}

/// The counts of all sweeps so far. No count ever falls.
final class SweepTotals: Sendable {
    private let report = Mutex(SweepReport())

    var value: SweepReport { report.withLock { $0 } }

    func count(_ body: (inout SweepReport) -> Void) { report.withLock { body(&$0) } }
}
