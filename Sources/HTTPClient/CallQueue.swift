/// Decides which calls run, which wait, and which are too late: at most `concurrency` run, at most `capacity` wait, first come, first served.
///
/// Deadlines are ours, not libcurl's: its timer can fire a millisecond before it is due, and then not again (7.88, seen on a busy machine).
struct CallQueue: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Where a call was.
    enum Place: Equatable { case running, waiting }

    /// What is to be done now.
    struct Turn: Equatable {
        /// Their deadline passed, while they ran or waited.
        var expired: [UInt64] = []
        /// They run from now on.
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

    /// When the next one is too late.
    var nextDeadline: Instant? { [waiting.lazy.map(\.deadline).min(), running.values.min()].compactMap { $0 }.min() }

    /// Takes a call, which a turn will start. False: refused, as many wait as may.
    mutating func add(_ id: UInt64, deadline: Instant) -> Bool {
        guard waiting.count < capacity + concurrency - running.count else { return false }
        waiting.append((id, deadline))
        return true
    }

    /// Forgets a call that has ended or was given up; nil: it was not there.
    mutating func remove(_ id: UInt64) -> Place? {
        if running.removeValue(forKey: id) != nil { return .running }
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        waiting.remove(at: index)
        return .waiting
    }

    /// Drops who is too late, and starts as many as fit.
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
