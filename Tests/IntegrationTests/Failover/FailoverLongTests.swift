import TestSupport
import Testing

/// The standby is promoted in mid-sweep: late, after a long outage, or when it is behind.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(10))) struct FailoverLongTests {
    @Test(arguments: [(1500, 0), (900, 40)])
    func sweep_whenASynchronousStandbyIsPromoted_losesAndDoublesNothing(at request: Int, failures: Int) async throws {
        try await FailoverScene.promoteSynchronous(at: request, failures: failures)
    }

    @Test(arguments: [false, true])
    func sweep_whenAnAsynchronousStandbyIsPromoted_repeatsWhatItHadNotGot(isBehind: Bool) async throws {
        try await FailoverScene.promoteAsynchronous(isBehind: isBehind)
    }
}
