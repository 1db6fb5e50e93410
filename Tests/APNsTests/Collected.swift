import Base

/// What callbacks brought, and a wait for it: a test's time limit, which cancels the test, is the deadline.
final class Collected<Element: Sendable>: Sendable {
    private struct Waiter {
        let id: UInt64
        let isEnough: @Sendable ([Element]) -> Bool
        let continuation: CheckedContinuation<[Element], Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    var all: [Element] { state.withLock { $0.elements } }

    func append(_ more: [Element]) {
        let (ready, elements) = state.withLock { state in
            state.elements += more
            let elements = state.elements
            let ready = state.waiters.filter { $0.isEnough(elements) }
            state.waiters.removeAll { $0.isEnough(elements) }
            return (ready, elements)
        }
        for waiter in ready { waiter.continuation.resume(returning: elements) }
    }

    /// What there is once it is enough, or when the test is cancelled.
    @discardableResult
    func wait(_ isEnough: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let elements: [Element]? = state.withLock { state in
                    // Cancellation may have come before this: its handler then found nobody to wake.
                    if isEnough(state.elements) || Task.isCancelled { return state.elements }
                    state.waiters.append(Waiter(id: id, isEnough: isEnough, continuation: continuation))
                    return nil
                }
                if let elements { continuation.resume(returning: elements) }
            }
        } onCancel: {
            let (waiter, elements) = state.withLock { state -> (Waiter?, [Element]) in
                let index = state.waiters.firstIndex { $0.id == id }
                return (index.map { state.waiters.remove(at: $0) }, state.elements)
            }
            waiter?.continuation.resume(returning: elements)
        }
    }
}
