import Base

/// Messages of other threads to the client's thread.
final class CallInbox: Sendable {
    /// What has arrived since the last `take`.
    struct Batch {
        var calls: [Call] = []
        var cancelled: [UInt64] = []
        var closes = false
    }

    private struct State {
        var batch = Batch()
        var lastID: UInt64 = 0
        /// Whether no more calls are accepted.
        var isFinished = false
        /// Whether the thread has finished.
        var hasEnded = false
        /// The tasks that wait for the thread's end.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let multi: MultiHandle
    private let state = Mutex(State())

    init(waking multi: MultiHandle) { self.multi = multi }

    func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Submits a call. Returns false if the thread accepts no more.
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

    /// Returns when the thread has finished.
    func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Takes everything that has arrived since the last call.
    func take() -> Batch {
        state.withLock { state in
            let batch = state.batch
            state.batch = Batch(closes: batch.closes)
            return batch
        }
    }

    /// Takes the rest and refuses all later calls.
    func refuse() -> [Call] {
        state.withLock { state in
            state.isFinished = true
            defer { state.batch = Batch() }
            return state.batch.calls
        }
    }

    /// Resumes the tasks that wait for the thread's end.
    func tellEnd() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
