import Dispatch

/// Runs blocking work on a thread of its own. The cooperative pool has only as many threads as the machine has cores,
/// and Dispatch's global queues grow slowly when theirs are blocked.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "nudged.faults").async { continuation.resume(with: Result { try work() }) }
    }
}
