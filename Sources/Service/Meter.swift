import Core
import Metrics
import Synchronization
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
        default: break
        }
    }
}

/// Counts the events of sweeps for the metrics, and calls the heartbeat's address after good sweeps.
final class Meter: Sendable {
    private let clock: PolicyClock
    private let counted = Mutex(MetricsBook())
    private let caller: Mutex<HeartbeatCaller?>

    /// - Parameters:
    ///   - clock: the policy's, for the instants that are shown.
    ///   - caller: nil if no address is configured.
    init(clock: PolicyClock, caller: HeartbeatCaller?) {
        self.clock = clock
        self.caller = Mutex(caller)
    }

    /// The counts so far.
    var book: MetricsBook { counted.withLock { $0 } }

    var heartbeat: HeartbeatCaller? { caller.withLock { $0 } }

    func heard(_ event: SweepEvent) {
        if case .progress = event { return }
        let now = clock.now
        counted.withLock { $0.hear(event, now: now) }
        if case .finished(_, let report) = event, report.isGood { heartbeat?.sweepWasGood() }
    }

    /// Replaces the caller. The old one's running call is ended.
    func call(by next: HeartbeatCaller?) {
        let old = caller.withLock { caller in
            defer { caller = next }
            return caller
        }
        if let old, old !== next { Task { await old.close() } }
    }
}
