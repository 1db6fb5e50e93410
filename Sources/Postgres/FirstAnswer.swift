import Synchronization

/// The first of several answers counts. `wait` must be called only once.
final class FirstAnswer<Value: Sendable>: Sendable {
    // empty → waiting or answered. waiting → done. answered → done.
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case answered(Value)
        case done
    }

    private let state = Mutex(State.empty)

    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let ready: Value? = state.withLock { state in
                if case .answered(let value) = state {
                    state = .done
                    return value
                }
                state = .waiting(continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Returns false if there was an answer already.
    @discardableResult
    func settle(_ value: Value) -> Bool {
        // The continuation is resumed after unlocking.
        let (first, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .empty:
                state = .answered(value)
                return (true, nil)
            case .waiting(let continuation):
                state = .done
                return (true, continuation)
            case .answered, .done: return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return first
    }
}
