import Glibc
import TestSupport
import Testing

@testable import Faults

/// Rows of the table of faults, with real daemons and the books compared: a kill -9 at a moment and at a point, a
/// failover, and an upgrade. `nudged-bench faults --quick` plays all of them, one after the other.
@Suite(.ownThreads, .serialized) struct RowTests {
    private static let seed: UInt64 = {
        if let given = getenv("NUDGED_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return .random(in: 1...999_999_999)
    }()

    @Test(arguments: [
        ("kill-at-random-moments", 1), ("kill-at-fail-points", 3), ("standby-promoted-synchronous", 1),
        ("rolling-upgrade", 1),
    ]) func daemon_whenThisGoesWrong_losesAndDoublesNothing(name: String, rounds: Int) async throws {
        let fault = try #require(Fault.named(name))
        let workshop = try Workshop(nudged: Built.path("nudged"), reference: Built.reference)
        defer { workshop.close() }
        let run = FaultRun(workshop, FaultPlan(isQuick: true, seed: Self.seed, rounds: rounds))
        var texts: [String] = []
        let row = await run.play(fault) { if !$0.passes { texts.append($0.text) } }
        print(FaultRow.line(row.cells))
        #expect(row.passes, "NUDGED_SEED=\(Self.seed)\n\(texts.joined(separator: "\n"))")
        // A row that sent nothing shows nothing.
        #expect(row.accepted > 0)
    }
}
