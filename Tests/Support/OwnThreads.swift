import Dispatch
package import Testing

/// Gives each test threads of its own, and runs it again if the machine stood still meanwhile.
///
/// A test that waits in calls that block (a server, a child process, a socket) would hold one of the pool's few threads
/// (one per core), and eight such tests side by side would make each other late. While the machine stands still, the
/// deadlines of daemons, servers and tests end. What fails then says nothing.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void)
        async throws
    {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let before = Standstills.shared.count
            try await withKnownIssue("the machine stood still", isIntermittent: true) {
                try await body()
            } matching: { _ in
                Standstills.shared.count > before
            }
            guard Standstills.shared.count > before else { return }
            print("again, because the machine stood still: \(test.name)")
            try await body()
        }
    }
}

extension Trait where Self == OwnThreads {
    package static var ownThreads: Self { OwnThreads() }
}

/// Runs each job on a thread of its own.
package final class ThreadPerJob: TaskExecutor {
    package static let shared = ThreadPerJob()

    /// A queue of its own gets a thread at once, however many are blocked; a concurrent queue's number of threads is bounded by the cores.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue(label: "nudged.test").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
