import Synchronization

/// Remembers which values were reported. At the limit it forgets all, and values are reported again.
final class OncePerValue<Value: Hashable & Sendable>: Sendable {
    private let seen = Mutex<Set<Value>>([])
    private let limit: Int

    init(limit: Int = 100_000) {
        self.limit = limit
    }

    /// True the first time.
    func isNew(_ value: Value) -> Bool {
        seen.withLock { seen in
            if seen.count >= limit { seen.removeAll() }
            return seen.insert(value).inserted
        }
    }
}
