import Dispatch

/// Runs what blocks for long on a Dispatch thread: the cooperative pool has as many threads as the machine has cores.
func offThePool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
}
