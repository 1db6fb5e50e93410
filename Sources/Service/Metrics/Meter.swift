import Delivery
import Synchronization

/// Hears of each sweep: counts for the metrics, and has the heartbeat's address called after good ones.
final class Meter: Sendable {
    private let clock: PolicyClock
    private let counted = Mutex(MetricsBook())
    private let caller: Mutex<HeartbeatCaller?>

    /// - Parameters:
    ///   - clock: the policy's, for the instants that are shown.
    ///   - caller: nil: no address is called.
    init(clock: PolicyClock, caller: HeartbeatCaller?) {
        self.clock = clock
        self.caller = Mutex(caller)
    }

    /// What it has counted so far.
    var book: MetricsBook { counted.withLock { $0 } }

    /// What calls the heartbeat's address.
    var heartbeat: HeartbeatCaller? { caller.withLock { $0 } }

    /// A sweep told something.
    func heard(_ event: SweepEvent) {
        switch event {
        case .progress: return
        default: break
        }
        let now = clock.now
        counted.withLock { $0.hear(event, now: now) }
        if case .finished(_, let report) = event, report.isGood { heartbeat?.sweepWasGood() }
    }

    /// Another configuration: the one before ends its call.
    func call(by next: HeartbeatCaller?) {
        let old = caller.withLock { caller in
            defer { caller = next }
            return caller
        }
        if let old, old !== next { Task { await old.close() } }
    }
}
