import Dispatch

/// A serial Dispatch queue as an actor's executor (Linux has no DispatchSerialQueue). Its jobs may block: a serial
/// queue made by label takes its thread from the overcommitting pool, not from Swift's cooperative pool.
final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps the executor alive while its job runs, even if the actor is freed meanwhile.
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `work` on the queue, in order with the actor's jobs.
    func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
