import Synchronization

/// A value behind a lock, and tasks that wait for a condition. Each change checks all conditions: no wake-up is lost.
final class Monitor<State: Sendable>: Sendable {
    private typealias Condition = @Sendable (State) -> Bool

    private struct Guarded {
        var state: State
        var waiters: [UInt64: (isReady: Condition, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let guarded: Mutex<Guarded>

    init(_ state: State) { guarded = Mutex(Guarded(state: state)) }

    /// Changes the state. Then resumes the waiters whose condition holds, after the lock is released.
    @discardableResult
    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, woken) = guarded.withLock { guarded -> (Result, [CheckedContinuation<Void, Never>]) in
            let result = body(&guarded.state)
            var woken: [CheckedContinuation<Void, Never>] = []
            for (id, waiter) in guarded.waiters where waiter.isReady(guarded.state) {
                guarded.waiters[id] = nil
                woken.append(waiter.continuation)
            }
            return (result, woken)
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    func wait(atMost milliseconds: Int64? = nil, until isReady: @escaping @Sendable (State) -> Bool) async {
        var timer: Task<Void, any Error>?
        await withCheckedContinuation { continuation in
            let id = guarded.withLock { guarded -> UInt64? in
                if isReady(guarded.state) { return nil }
                guarded.lastWaiter += 1
                guarded.waiters[guarded.lastWaiter] = (isReady, continuation)
                return guarded.lastWaiter
            }
            guard let id else { return continuation.resume() }
            timer = milliseconds.map { milliseconds in
                Task {
                    try await Task.sleep(for: .milliseconds(milliseconds))
                    guarded.withLock { $0.waiters.removeValue(forKey: id)?.continuation }?.resume()
                }
            }
        }
        timer?.cancel()
    }
}
