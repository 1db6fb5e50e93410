import Delivery
import Synchronization

/// Adds up the sweeps' reports since the last hour's line.
final class DayCounter: Sendable {
    struct Counts: Sendable {
        var rejected = 0
        var tokensDeleted = 0
        /// Grows when a sweep finished a user.
        var progress = 0
        /// Grows when a push could not be written. Its user is due again a second later.
        var unsent = 0
    }

    private let counts = Mutex(Counts())

    func add(_ report: SweepReport) {
        counts.withLock { counts in
            counts.rejected += report.rejected
            counts.tokensDeleted += report.tokensDeleted
            counts.unsent += report.unsent
            // Without users who were claimed and let go again.
            counts.progress += report.sent + report.rejected + report.deferred + report.unknown + report.skipped
            counts.progress += report.resting.values.reduce(0, +)
        }
    }

    var progress: Int { counts.withLock { $0.progress } }
    var unsent: Int { counts.withLock { $0.unsent } }

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
