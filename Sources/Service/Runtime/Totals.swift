import Core
import Synchronization

/// The sum of several sweeps' reports.
final class Totals: Sendable {
    private let sum = Mutex(SweepReport())

    var report: SweepReport { sum.withLock { $0 } }

    func add(_ report: SweepReport) {
        sum.withLock { $0.add(report) }
    }
}
