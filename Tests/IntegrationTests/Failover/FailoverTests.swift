import TestSupport
import Testing

/// The standby is promoted in mid-sweep (docs/FAULTS.md, "Failover"). `FailoverLongTests` has the other moments.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct FailoverTests {
    @Test func sweep_whenASynchronousStandbyIsPromoted_losesAndDoublesNothing() async throws {
        try await FailoverScene.promoteSynchronous(at: 400, failures: 0)
    }
}
