import Synchronization

/// Remembers what was said already. Bounded: past the limit it forgets all, and says things once more.
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
