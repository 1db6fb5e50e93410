import Dispatch

/// Runs what blocks on a thread of its own: the cooperative pool has as many threads as the machine has cores, and Dispatch's global queues
/// grow by one a second where theirs are blocked.
func offThePool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "nudged.faults").async { continuation.resume(with: Result { try work() }) }
    }
}
