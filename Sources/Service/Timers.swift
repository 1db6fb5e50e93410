import Base
import Core
import Dispatch
import Glibc
import Synchronization
import Systemd

/// A Dispatch timer on the monotonic clock, as a sequence of ticks. At most one tick waits, however long a sweep takes.
final class Ticker: Sendable {
    let ticks: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    // DispatchSourceTimer is thread-safe (libdispatch retains and locks its sources), but Swift's import does not
    // declare it Sendable.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    init(every interval: Duration) {
        (ticks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "nudged.tick"))
        timer.setEventHandler { [continuation] in continuation.yield() }
        arm(every: interval)
        timer.resume()
    }

    func arm(every interval: Duration) {
        let nanoseconds = Int(interval / .nanoseconds(1))
        let leeway = DispatchTimeInterval.nanoseconds(min(nanoseconds / 20, 50_000_000))
        timer.schedule(deadline: .now(), repeating: .nanoseconds(nanoseconds), leeway: leeway)
    }

    func cancel() {
        timer.cancel()
        continuation.finish()
    }

    deinit { timer.cancel() }
}

/// Calls handlers for signals. Once `init` has returned, none is lost. Until then their default action is on.
package final class SignalSource: Sendable {
    // Thread-safe, like `Ticker.timer`.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameter handlers: called on one queue, one at a time.
    package init(_ handlers: [Int32: @Sendable () -> Void]) {
        let queue = DispatchQueue(label: "nudged.signals")
        let registered = DispatchGroup()
        sources = handlers.map { number, handler in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler() }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
            return source
        }
        registered.wait()
    }

    deinit { for source in sources { source.cancel() } }
}

/// Tells systemd's watchdog, and notes in the daemon's files, as long as the sweep loop makes progress. If the loop
/// hangs, systemd or the container's runtime restarts the service.
final class Watchdog: Sendable {
    private let notifier: Notifier
    private let files: DaemonFiles?
    private let state: Mutex<(progress: Int64, patience: Int64)>
    // Thread-safe, like `Ticker.timer`.
    nonisolated(unsafe) private let timer: (any DispatchSourceTimer)?

    private static let recordInterval = Duration.seconds(10)

    init(_ notifier: Notifier, _ files: DaemonFiles?, longestWait: Int64) {
        (self.notifier, self.files) = (notifier, files)
        state = Mutex((BootTime.milliseconds(), longestWait))
        let intervals = [notifier.watchdogInterval, files.map { _ in Self.recordInterval }]
        guard let interval = intervals.compactMap(\.self).min() else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "nudged.watchdog"))
        timer.schedule(deadline: .now(), repeating: .nanoseconds(Int(interval / .nanoseconds(1))))
        self.timer = timer
        timer.setEventHandler { [weak self] in self?.feed() }
        timer.resume()
    }

    func progress() { state.withLock { $0.progress = BootTime.milliseconds() } }

    func expect(longestWait: Int64) { state.withLock { $0.patience = longestWait } }

    func feed() {
        guard state.withLock({ BootTime.milliseconds() - $0.progress <= $0.patience }) else { return }
        _ = notifier.watchdog()
        files?.noteProgress()
    }

    deinit { timer?.cancel() }
}

/// Decides when to begin a call: one at a time, at most one in an interval. Instants are milliseconds of CLOCK_BOOTTIME.
struct Pace: Sendable {
    let interval: Int64
    /// The least pause, as a multiple of the last call's time.
    var rest: Int64 = 0
    private(set) var next: Int64 = 0
    private(set) var begunAt: Int64?

    /// Whether to call now. End each call that was begun.
    mutating func begin(now: Int64) -> Bool {
        guard begunAt == nil, now >= next else { return false }
        begunAt = now
        return true
    }

    mutating func end(now: Int64) {
        guard let begun = begunAt else { return }
        next = max(begun + interval, now + (now - begun) * rest)
        begunAt = nil
    }
}
