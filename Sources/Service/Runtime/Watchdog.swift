import Base
import Core
import Dispatch
import Synchronization
import Systemd

/// Notifies systemd's watchdog as long as the sweep loop makes progress. If the loop hangs, systemd restarts the
/// service.
final class Watchdog: Sendable {
    private let notifier: Notifier
    private let lastProgress = Mutex(BootTime.milliseconds())
    /// Milliseconds that the loop may take without progress.
    private let patience: Mutex<Int64>
    // Thread-safe, like `Ticker.timer`.
    nonisolated(unsafe) private let timer: (any DispatchSourceTimer)?

    /// - Parameter longestWait: milliseconds that a healthy loop may take without progress.
    init(_ notifier: Notifier, longestWait: Int64) {
        self.notifier = notifier
        patience = Mutex(longestWait)
        guard let interval = notifier.watchdogInterval else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "nudged.watchdog"))
        timer.schedule(deadline: .now(), repeating: .nanoseconds(Int(interval / .nanoseconds(1))))
        self.timer = timer
        timer.setEventHandler { [weak self] in self?.feed() }
        timer.resume()
    }

    /// The loop made progress.
    func progress() {
        lastProgress.withLock { $0 = BootTime.milliseconds() }
    }

    /// The configuration has changed.
    func expect(longestWait: Int64) {
        patience.withLock { $0 = longestWait }
    }

    private func feed() {
        let age = BootTime.milliseconds() - lastProgress.withLock { $0 }
        if age <= patience.withLock({ $0 }) { _ = notifier.watchdog() }
    }

    deinit { timer?.cancel() }
}
