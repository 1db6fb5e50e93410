/// A request and the task that waits for its answer.
struct Call: Sendable {
    typealias Answer = Result<HTTPResponse, HTTPClientError>

    let id: UInt64
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// Resumed once.
    let continuation: CheckedContinuation<Answer, Never>

    func fail(_ error: HTTPClientError) { continuation.resume(returning: .failure(error)) }
}

/// Decides which calls run, wait or have expired. At most `concurrency` run and `capacity` wait, in order of arrival.
///
/// libcurl's own time-out is not used: its timer can fire a millisecond early, and then not again (7.88).
struct CallQueue: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The state of a call before it was removed.
    enum Place: Equatable { case running, waiting }

    /// What to do now.
    struct Turn: Equatable {
        /// Calls whose deadline passed while they ran or waited.
        var expired: [UInt64] = []
        /// Calls that run from now on.
        var started: [UInt64] = []
    }

    private let concurrency: Int
    private let capacity: Int
    private var running: [UInt64: Instant] = [:]
    private var waiting: [(id: UInt64, deadline: Instant)] = []

    init(concurrency: Int, capacity: Int) {
        self.concurrency = max(1, concurrency)
        self.capacity = max(0, capacity)
    }

    /// The earliest deadline of all calls.
    var nextDeadline: Instant? { [waiting.lazy.map(\.deadline).min(), running.values.min()].compactMap { $0 }.min() }

    /// Adds a call, which `turn` starts. Returns false if too many calls wait.
    mutating func add(_ id: UInt64, deadline: Instant) -> Bool {
        guard waiting.count < capacity + concurrency - running.count else { return false }
        waiting.append((id, deadline))
        return true
    }

    /// Removes a call. Returns nil if it isn't in the queue.
    mutating func remove(_ id: UInt64) -> Place? {
        if running.removeValue(forKey: id) != nil { return .running }
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        waiting.remove(at: index)
        return .waiting
    }

    /// Removes expired calls and starts as many as fit.
    mutating func turn(now: Instant) -> Turn {
        var turn = Turn()
        turn.expired = running.filter { $0.value <= now }.keys.sorted()
        for id in turn.expired { running[id] = nil }
        turn.expired += waiting.lazy.filter { $0.deadline <= now }.map(\.id)
        waiting.removeAll { $0.deadline <= now }
        let next = waiting.prefix(concurrency - running.count)
        waiting.removeFirst(next.count)
        for (id, deadline) in next { running[id] = deadline }
        turn.started = next.map(\.id)
        return turn
    }
}
