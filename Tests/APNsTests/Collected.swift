import Locks

/// What callbacks brought, and a wait for it: a test's time limit is the deadline.
final class Collected<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiters: [(isEnough: @Sendable ([Element]) -> Bool, continuation: CheckedContinuation<[Element], Never>)] =
            []
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

    func wait(_ isEnough: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        await withCheckedContinuation { continuation in
            let elements: [Element]? = state.withLock { state in
                if isEnough(state.elements) { return state.elements }
                state.waiters.append((isEnough, continuation))
                return nil
            }
            if let elements { continuation.resume(returning: elements) }
        }
    }
}
