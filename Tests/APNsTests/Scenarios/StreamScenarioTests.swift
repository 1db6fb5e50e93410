import APNsSimulator
import HTTP2
import TestSupport
import Testing

@testable import APNs

@Suite("Scenarios: streams", .ownThreads, .timeLimit(.minutes(10))) struct StreamScenarioTests {
    /// Scenario 1: SETTINGS 1 → 1,000 after the first push.
    /// Also where SETTINGS allow more from the start: one stream is all that is used before a push was accepted.
    @Test(arguments: [1, 1_000] as [UInt32])
    func lane_usesOneStream_untilTheFirstPushIsAccepted(first: UInt32) async throws {
        let rig = try ScenarioRig(settings: { $0.firstStreams = first }) { _, _ in .held(then: .accept) }
        rig.send(1...40)
        await rig.hold(1)
        #expect(rig.arrivals == [1: [1]] && rig.sender.freeSlots == 0)
        rig.simulator.release()
        await rig.hold(39)
        #expect(rig.sender.freeSlots == 1_000 - 39)
        rig.simulator.release()
        #expect(await rig.outcomes(40) == Array(repeating: .accepted, count: 40))
        #expect(rig.arrivals == ScenarioRig.each((1...40, [1])) && rig.accepted == rig.arrivals)
        await rig.expectLog(["opened 1 with \(first)", "minted"])
    }

    /// Scenario 2: down to 1 in mid-burst with REFUSED_STREAM.
    @Test func refusedPushes_areSentAgain_oneAtATime() async throws {
        let rig = try ScenarioRig { tag, attempt in
            switch (tag, attempt) {
            case (1, _): nil
            case (_, 1): .held(then: .reset(code: 7))
            default: .held(then: .accept)
            }
        }
        await rig.prime()
        rig.send(2...21)
        await rig.hold(20)
        rig.simulator.perform(.streams(1))
        rig.simulator.release()
        // All were refused; from now on one is in flight at any time.
        for answered in 1...20 {
            await rig.hold(1)
            #expect(rig.simulator.snapshot().received.count == 21 + answered)
            rig.simulator.release()
            _ = await rig.outcomes(1 + answered)
        }
        #expect(await rig.outcomes(21) == Array(repeating: .accepted, count: 21))
        #expect(rig.arrivals == ScenarioRig.each((1...1, [1]), (2...21, [1, 1])))
        #expect(rig.accepted == ScenarioRig.each((1...21, [1])))
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    /// Scenario 16: a slow server.
    /// Each release is one latency: so many answers come in it as there are streams, and no push waits for another's answer.
    @Test func throughput_isStreamsPerLatency() async throws {
        let rig = try ScenarioRig(settings: { $0.streams = 8 }) { tag, _ in tag == 1 ? nil : .held(then: .accept) }
        await rig.prime()
        rig.send(2...41)
        for round in 1...5 {
            await rig.hold(8)
            #expect(rig.simulator.snapshot().received.count == 1 + 8 * round)
            #expect(rig.sender.freeSlots == 0 && rig.resultCount == 1 + 8 * (round - 1))
            rig.simulator.release()
            _ = await rig.outcomes(1 + 8 * round)
        }
        #expect(await rig.outcomes(41) == Array(repeating: .accepted, count: 41))
        #expect(rig.simulator.counts.mostHeld == 8 && rig.sender.freeSlots == 8)
        #expect(rig.arrivals == ScenarioRig.each((1...41, [1])))
        await rig.expectLog(["opened 1 with 1", "minted"])
    }
}
