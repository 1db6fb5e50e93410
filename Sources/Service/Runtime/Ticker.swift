import Dispatch

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

    /// Ticks now, and then at this interval.
    func arm(every interval: Duration) {
        let nanoseconds = Int(interval / .nanoseconds(1))
        timer.schedule(
            deadline: .now(),
            repeating: .nanoseconds(nanoseconds),
            leeway: .nanoseconds(min(nanoseconds / 20, 50_000_000))
        )
    }

    /// Ends the sequence.
    func cancel() {
        timer.cancel()
        continuation.finish()
    }

    deinit { timer.cancel() }
}
