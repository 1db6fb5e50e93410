import Locks

/// Where other threads leave what a client connection shall do.
final class ClientInbox: Sendable {
    enum Order { case drain, close }

    /// What has come since the last look.
    struct Batch {
        var requests: [RequestBatch] = []
        var drains = false
        var closes = false
    }

    private struct State {
        var batch = Batch()
        /// Whether the loop sleeps, or is about to: only then does a message cost a system call.
        var isAsleep = true
        var isStarted = false
        var isFinished = false
    }

    let wake = WakeDescriptor()
    private let state = Mutex(State())

    /// Whether this is the first time.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
    }

    /// False where nobody will look any more.
    func put(_ requests: RequestBatch) -> Bool {
        change { state in
            guard !state.isFinished else { return false }
            if requests.count > 0 { state.batch.requests.append(requests) }
            return true
        }
    }

    func put(_ order: Order) {
        _ = change { state in
            switch order {
            case .drain: state.batch.drains = true
            case .close: state.batch.closes = true
            }
            return true
        }
    }

    /// All that has come since the last call; the loop is awake from here on.
    func take() -> Batch {
        state.withLock { state in
            state.isAsleep = false
            let batch = state.batch
            state.batch.requests = []
            return batch
        }
    }

    /// Whether the loop may sleep: nothing has come meanwhile, and whatever comes will signal.
    func goToSleep(knowingDrain isDraining: Bool) -> Bool {
        state.withLock { state in
            let isNews = !state.batch.requests.isEmpty || state.batch.closes || (state.batch.drains && !isDraining)
            guard !isNews else { return false }
            state.isAsleep = true
            return true
        }
    }

    /// Takes the wake-up back, whatever waits: a connection that is still dialling looks only for its end.
    func sleepOn() {
        wake.clear()
        state.withLock { $0.isAsleep = true }
    }

    /// How the connection was told to end; nil: not yet.
    var end: CloseReason.Code? {
        state.withLock { $0.batch.closes ? .closed : $0.batch.drains ? .drained : nil }
    }

    /// Takes the rest and lets nothing more in.
    func finish() -> Batch {
        state.withLock { state in
            state.isFinished = true
            let batch = state.batch
            state.batch.requests = []
            return batch
        }
    }

    private func change(_ body: (inout State) -> Bool) -> Bool {
        let (taken, signals) = state.withLock { state in
            let taken = body(&state)
            defer { state.isAsleep = false }
            return (taken, state.isAsleep)
        }
        if signals { wake.signal() }
        return taken
    }
}
