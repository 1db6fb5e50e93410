import Dispatch
public import Testing

/// Gives each test threads of its own. Where a test waits in calls that block (a server, a child process, a socket), it would hold one of the
/// pool's few threads (one per core) meanwhile, and eight such tests side by side would make each other late.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Each test of a suite has it.
    public let isRecursive = true

    /// Runs the test, and what it starts within itself, off the pool.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// See `OwnThreads`.
    public static var ownThreads: Self { OwnThreads() }
}

private final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()

    /// A queue of its own gets a thread at once, however many are blocked; a concurrent queue's number of threads is bounded by the cores.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue(label: "nudged.test").async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
