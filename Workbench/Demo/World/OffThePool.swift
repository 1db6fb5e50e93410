import Dispatch

/// Runs blocking work on a Dispatch thread, because the cooperative pool has only as many threads as the machine has
/// cores.
func offThePool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
}
