import Core
import Metrics
import TimeZones

/// Counts from the events of sweeps, besides those of `SweepReport`.
struct MetricsBook: Sendable {
    /// Seconds per sweep. An idle sweep takes milliseconds, a burst of a million users takes minutes.
    private(set) var durations = Histogram(bounds: [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ])
    private(set) var goodSweeps = 0
    private(set) var badSweeps = 0
    private(set) var lastSuccess: Instant?
    private(set) var quarantined = 0
    private(set) var writeFailures = 0

    /// Counts an event.
    ///
    /// - Parameter now: the policy's `now`. nil until it is known. No sweep is good before that.
    mutating func hear(_ event: SweepEvent, now: Instant?) {
        switch event {
        case .finished(_, let report):
            durations.observe(Double(report.milliseconds) / 1000)
            if report.isGood {
                goodSweeps += 1
                lastSuccess = now ?? lastSuccess
            } else {
                badSweeps += 1
            }
        case .quarantined: quarantined += 1
        case .statementFailed, .settlementFailed: writeFailures += 1
        case .recovered, .noticed, .zonesUnread, .rejected, .moved, .unknown, .fenced, .paused, .progress,
            .fanOutFailed,
            .ownership, .membershipEnded, .membersDeclaredDead:
            break
        }
    }
}
