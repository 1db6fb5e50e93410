import Core
import Synchronization

/// Adds up the sweeps' reports since the last hour's line.
final class DayCounter: Sendable {
    struct Counts: Sendable {
        var rejected = 0
        var tokensDeleted = 0
    }

    private let counts = Mutex(Counts())

    func add(_ report: SweepReport) {
        counts.withLock { counts in
            counts.rejected += report.rejected
            counts.tokensDeleted += report.tokensDeleted
        }
    }

    /// Since the last call.
    func take() -> Counts {
        counts.withLock { counts in
            defer {
                counts.rejected = 0
                counts.tokensDeleted = 0
            }
            return counts
        }
    }
}
