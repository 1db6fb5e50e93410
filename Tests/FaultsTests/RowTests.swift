import TestSupport
import Testing

@testable import Faults

/// Rows of the table of faults, with real daemons and the books compared: a kill -9 at a moment and at a point, a
/// failover, and an upgrade. `nudged-bench faults --quick` plays all of them, one after the other.
@Suite(.ownThreads, .serialized) struct RowTests {
    @Test(arguments: [
        ("kill-at-random-moments", 1), ("kill-at-fail-points", 3), ("standby-promoted-synchronous", 1),
        ("rolling-upgrade", 1),
    ]) func daemon_whenThisGoesWrong_losesAndDoublesNothing(name: String, rounds: Int) async throws {
        let fault = try #require(Fault.named(name))
        let reference = Checkout.root + "/Tests/Reference/policy_reference.py"
        let workshop = try Workshop(nudged: OwnProgram.folder + "/nudged", reference: reference)
        defer { workshop.close() }
        let run = FaultRun(workshop, FaultPlan(isQuick: true, seed: Seeds.extra, rounds: rounds))
        var texts: [String] = []
        let row = await run.play(fault) { if !$0.passes { texts.append($0.text) } }
        print(FaultRow.line(row.cells))
        #expect(row.passes, "NUDGED_SEED=\(Seeds.extra)\n\(texts.joined(separator: "\n"))")
        // A row that sent nothing shows nothing.
        #expect(row.accepted > 0)
    }
}
