import APNsSimulator
import HTTP2Server
import TestSupport
import Testing

@testable import APNs

@Suite("Scenarios: GOAWAY", .ownThreads, .timeLimit(.minutes(10))) struct GoAwayScenarioTests {
    /// Scenario 3: GOAWAY with a last-stream-id in mid-flight.
    @Test func pushesAboveIt_areSentOnceMore_andThoseBelowAreAwaited() async throws {
        let rig = try ScenarioRig { tag, attempt in
            switch (tag, attempt) {
            case (1, _): nil
            case (11, _): .goAway(.afterThis, reason: "Shutdown", then: .held(then: .accept))
            case (12..., 1): .silence
            case (12..., _): nil
            default: .held(then: .accept)
            }
        }
        await rig.prime()
        rig.send(2...21)
        #expect(await rig.outcomes(11) == Array(repeating: .accepted, count: 11))
        // Those below are in flight still.
        #expect(rig.accepted == ScenarioRig.each((1...1, [1]), (12...21, [2])))
        #expect(rig.simulator.counts.held == 10 && rig.resultCount == 11)
        rig.simulator.release()
        #expect(await rig.outcomes(21) == Array(repeating: .accepted, count: 21))
        #expect(rig.arrivals == ScenarioRig.each((1...11, [1]), (12...21, [1, 2])))
        #expect(rig.accepted == ScenarioRig.each((1...11, [1]), (12...21, [2])))
        await rig.expectLog(["opened 1 with 1", "minted", "goaway 1 Shutdown", "opened 2 with 1"])
    }

    /// Scenario 4: two-stage GOAWAY.
    @Test func pushesInFlight_areAwaited_andNewOnesUseANewConnection() async throws {
        let rig = try ScenarioRig { tag, _ in
            switch tag {
            case 2: .doing(.shutdown(reason: "Shutdown"), then: .held(then: .accept))
            case 3...11: .held(then: .accept)
            default: nil
            }
        }
        await rig.prime()
        rig.send(2...11)
        await rig.told.log.wait { $0.count { $0.line == "goaway 1 Shutdown" } == 2 }
        rig.send(12...14)
        #expect(await rig.outcomes(4) == Array(repeating: .accepted, count: 4))
        #expect(rig.accepted == ScenarioRig.each((1...1, [1]), (12...14, [2])))
        await rig.hold(10)
        rig.simulator.release()
        #expect(await rig.outcomes(14) == Array(repeating: .accepted, count: 14))
        #expect(rig.arrivals == ScenarioRig.each((1...11, [1]), (12...14, [2])) && rig.accepted == rig.arrivals)
        await rig.expectLog(["opened 1 with 1", "minted", "goaway 1 Shutdown", "goaway 1 Shutdown", "opened 2 with 1"])
    }

    /// Scenario 14: the server closes between requests.
    @Test(arguments: [ConnectionAction.close, .resetTCP, .shutdown(reason: "Idle")])
    func nextPush_isSentOnceOnANewConnection(ending: ConnectionAction) async throws {
        let rig = try ScenarioRig()
        await rig.prime()
        rig.simulator.perform(ending)
        let isGraceful = ending == .shutdown(reason: "Idle")
        let lines = isGraceful ? ["goaway 1 Idle"] : ["lost 1, pause 0"]
        await rig.told.log.wait { $0.count == 2 + lines.count }
        #expect(rig.sender.status == .idle && rig.sender.freeSlots == 1)
        rig.send(2...3)
        #expect(await rig.outcomes(3) == [.accepted, .accepted, .accepted])
        #expect(rig.arrivals == [1: [1], 2: [2], 3: [2]] && rig.accepted == rig.arrivals)
        await rig.expectLog(["opened 1 with 1", "minted"] + lines + ["opened 2 with 1"])
    }
}
