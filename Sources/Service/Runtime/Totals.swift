import Delivery
import Synchronization

/// The reports of several sweeps, added up.
final class Totals: Sendable {
    private let sum = Mutex(SweepReport())

    var report: SweepReport { sum.withLock { $0 } }

    func add(_ report: SweepReport) {
        sum.withLock { $0.add(report) }
    }
}
