import APNsSimulator
import Base
import TestSupport
import Testing

@testable import APNs

/// The outcome of a refused token reaches its sender, over real TLS, in whatever order its batch is answered.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SenderRefusalTests {
    /// - Parameter isLast: whether the refusal is the batch's last answer.
    @Test(arguments: [true, false]) func quarantine_reachesTheSender_whicheverAnswerComesLast(isLast: Bool) async throws
    {
        let bad: UInt64 = 3
        let rig = try ScenarioRig { tag, _ in
            let answer: ScriptedAnswer? = tag == bad ? .answer(status: 400, reason: "BadDeviceToken") : nil
            // One of the two waits for the other.
            return tag != 1 && (tag == bad) == isLast ? .held(then: answer ?? .accept) : answer
        }
        await rig.prime()
        let quarantined = Collected<RefusedToken>()
        let results = Collected<PushResult>()
        rig.sender.send(PushBatch([rig.push(2), rig.push(bad)]), onQuarantine: { quarantined.append($0) }) {
            results.append($0)
        }
        await results.wait { $0.count == 1 }
        #expect(await rig.simulator.wait { $0.held == 1 })
        rig.simulator.release()
        await results.wait { $0.count == 2 }
        #expect(quarantined.all.isEmpty, "before the window closes")
        #expect(rig.sender.concludeWindow())
        #expect(quarantined.all == [RefusedToken(slot: 1, reason: "BadDeviceToken")])
        #expect(!rig.sender.concludeWindow())
        #expect(
            rig.sender.core.withLock { $0.state.batches.count == 0 && $0.state.window.suspects.isEmpty },
            "nothing is kept"
        )
        await rig.end()
    }
}
