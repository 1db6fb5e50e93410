import Locks

/// Where other threads leave what the client's thread shall do.
final class ClientInbox: Sendable {
    /// What has come since the last look.
    struct Batch {
        var calls: [Call] = []
        var cancelled: [UInt64] = []
        var closes = false
    }

    private struct State {
        var batch = Batch()
        var lastID: UInt64 = 0
        /// Whether nothing is taken any more.
        var isFinished = false
        /// Whether the thread has done its last.
        var hasEnded = false
        /// Who waits for the end.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let multi: MultiHandle
    private let state = Mutex(State())

    init(waking multi: MultiHandle) { self.multi = multi }

    /// A number for a call.
    func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Takes a call; false where nobody will look any more.
    func put(_ call: Call) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isFinished { state.batch.calls.append(call) }
            return !state.isFinished
        }
        multi.wake()
        return isTaken
    }

    func cancel(_ id: UInt64) {
        state.withLock { state in
            if !state.isFinished { state.batch.cancelled.append(id) }
        }
        multi.wake()
    }

    func close() {
        state.withLock { $0.batch.closes = true }
        multi.wake()
    }

    /// Returns once the thread has done its last.
    func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// All that has come since the last call.
    func take() -> Batch {
        state.withLock { state in
            let batch = state.batch
            state.batch = Batch(closes: batch.closes)
            return batch
        }
    }

    /// Takes the rest and lets nothing more in.
    func refuse() -> [Call] {
        state.withLock { state in
            state.isFinished = true
            defer { state.batch = Batch() }
            return state.batch.calls
        }
    }

    /// Tells those who wait for the end.
    func tellEnd() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
