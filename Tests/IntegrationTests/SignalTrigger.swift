import LocalPostgres
import Synchronization

/// Signals a process at the simulated Apple's N-th request, from the server's own thread: in mid-flight, however busy the tests are.
final class SignalTrigger: Sendable {
    private let signal: Int32
    private let limit: Int
    private let state = Mutex<(count: Int, process: ChildProcess?)>((0, nil))

    init(_ signal: Int32, atRequest limit: Int) {
        self.signal = signal
        self.limit = limit
    }

    /// The process that is meant; signalled at once where the request has come already.
    func arm(_ process: ChildProcess) {
        let isLate = state.withLock { state in
            state.process = process
            return state.count >= limit
        }
        if isLate { process.signal(signal) }
    }

    /// A request has come.
    func request() {
        let process = state.withLock { state in
            state.count += 1
            return state.count == limit ? state.process : nil
        }
        process?.signal(signal)
    }
}
