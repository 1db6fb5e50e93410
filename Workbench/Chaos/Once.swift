import Base

/// A continuation that two callers may end. Only the first resumes it.
final class Once: Sendable {
    private let continuation: Mutex<CheckedContinuation<Void, Never>?>

    init(_ continuation: CheckedContinuation<Void, Never>) {
        self.continuation = Mutex(continuation)
    }

    /// Returns whether this call was the first.
    @discardableResult
    func end() -> Bool {
        let first = continuation.withLock { held in
            defer { held = nil }
            return held
        }
        first?.resume()
        return first != nil
    }
}
