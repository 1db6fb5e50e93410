import Base

/// A value that threads change and a test awaits: its time limit, which cancels the test, is the deadline.
package final class Observed<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: UInt64
        let isTrue: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var now: Value { state.withLock { $0.value } }

    package func change(_ body: (inout Value) -> Void) {
        let (value, ready) = state.withLock { state in
            body(&state.value)
            let value = state.value
            let ready = state.waiters.filter { $0.isTrue(value) }
            state.waiters.removeAll { $0.isTrue(value) }
            return (value, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: value) }
    }

    /// The value once it is so, or when the test is cancelled.
    @discardableResult
    package func wait(until isTrue: @escaping @Sendable (Value) -> Bool) async -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    // A cancellation before this found nobody to wake.
                    if isTrue(state.value) || Task.isCancelled { return state.value }
                    state.waiters.append(Waiter(id: id, isTrue: isTrue, continuation: continuation))
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            let (waiter, value) = state.withLock { state -> (Waiter?, Value) in
                let index = state.waiters.firstIndex { $0.id == id }
                return (index.map { state.waiters.remove(at: $0) }, state.value)
            }
            waiter?.continuation.resume(returning: value)
        }
    }
}
