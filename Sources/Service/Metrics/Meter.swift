import Core
import Synchronization

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

    /// nil: no address is configured.
    var heartbeat: HeartbeatCaller? { caller.withLock { $0 } }

    /// Counts an event of a sweep.
    func heard(_ event: SweepEvent) {
        switch event {
        case .progress: return
        default: break
        }
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
