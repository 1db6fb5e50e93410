import Synchronization

/// When the simulated Apple was asked; tests wait in it for the N-th request.
final class RequestLog: Sendable {
    private struct State {
        var instants: [ContinuousClock.Instant] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.instants.count } }

    /// A request has come.
    func note() {
        let due = state.withLock { state in
            state.instants.append(.now)
            let due = state.waiting.filter { $0.count <= state.instants.count }
            state.waiting.removeAll { $0.count <= state.instants.count }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
    }

    /// Returns once so many requests have come.
    func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.instants.count < count { state.waiting.append((count, continuation)) }
                return state.instants.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// How long after an instant the first request came.
    func wait(after instant: ContinuousClock.Instant) -> Duration? {
        state.withLock { $0.instants.first { $0 > instant } }.map { instant.duration(to: $0) }
    }
}
