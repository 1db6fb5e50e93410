import Synchronization

/// A value behind a lock, and tasks that wait for it to change. Each change checks every waiter's condition, so no
/// wake-up is lost.
final class Monitor<State: Sendable>: Sendable {
    private typealias Condition = @Sendable (State) -> Bool

    private enum Waiter {
        /// → waiting; → expired, if its time is over first; → removed, if its condition holds already.
        case arriving
        /// → removed, when its condition holds or its time is over.
        case waiting(Condition, CheckedContinuation<Void, Never>)
        /// → removed, when it starts to wait.
        case expired
    }

    private struct Guarded {
        var state: State
        var waiters: [UInt64: Waiter] = [:]
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
            for case (let id, .waiting(let isReady, let continuation)) in guarded.waiters where isReady(guarded.state) {
                guarded.waiters[id] = nil
                woken.append(continuation)
            }
            return (result, woken)
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// Waits until the condition holds, or until this many milliseconds have passed.
    func wait(atMost milliseconds: Int64? = nil, until isReady: @escaping @Sendable (State) -> Bool) async {
        let id = guarded.withLock { guarded in
            guarded.lastWaiter += 1
            guarded.waiters[guarded.lastWaiter] = .arriving
            return guarded.lastWaiter
        }
        let timer = milliseconds.map { milliseconds in
            Task {
                try await Task.sleep(for: .milliseconds(milliseconds))
                expire(id)
            }
        }
        await withCheckedContinuation { continuation in
            let isOver = guarded.withLock { guarded in
                if case .arriving? = guarded.waiters[id], !isReady(guarded.state) {
                    guarded.waiters[id] = .waiting(isReady, continuation)
                    return false
                }
                guarded.waiters[id] = nil
                return true
            }
            if isOver { continuation.resume() }
        }
        timer?.cancel()
    }

    private func expire(_ id: UInt64) {
        let continuation = guarded.withLock { guarded -> CheckedContinuation<Void, Never>? in
            switch guarded.waiters[id] {
            case .arriving:
                guarded.waiters[id] = .expired
                return nil
            case .waiting(_, let continuation):
                guarded.waiters[id] = nil
                return continuation
            case .expired, nil: return nil
            }
        }
        continuation?.resume()
    }
}
