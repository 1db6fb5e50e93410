import APNsSimulator
import TestSupport
import Testing

@testable import APNs

@Suite("Scenario Happy", .ownThreads, .timeLimit(.minutes(10))) struct HappyScenarioTests {
    @Test func push_isAcceptedOnce_whenOne() async throws {
        let rig = try ScenarioRig()
        rig.send(1...1)
        let result = await rig.told.results.wait { !$0.isEmpty }
        #expect(result == [Ended(tag: 1, outcome: .accepted)])
        #expect(rig.arrivals == [1: [1]] && rig.accepted == [1: [1]])
        let taken = try #require(rig.simulator.snapshot().accepted.first)
        #expect(taken.token == rig.push(1).token && taken.payload == rig.push(1).payload)
        #expect(taken.collapseID == rig.push(1).collapse && taken.topic == "com.example.App")
        #expect(taken.expiration == 1_795_300_000)
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    @Test func pushes_areAcceptedOnceEach_whenMany() async throws {
        let rig = try ScenarioRig()
        rig.send(1...3_000)
        #expect(await rig.outcomes(3_000) == Array(repeating: .accepted, count: 3_000))
        #expect(rig.arrivals == ScenarioRig.each((1...3_000, [1])) && rig.accepted == rig.arrivals)
        #expect(Set(rig.simulator.snapshot().received.map(\.providerToken)) == [1])
        #expect(rig.sender.freeSlots == 1_000)
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    @Test func bothPushes_areAccepted_whenTheSameTokenComesTwice() async throws {
        let rig = try ScenarioRig()
        let pushes = [rig.push(1, token: "ab"), rig.push(2, token: "ab")]
        rig.send(pushes)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        let received = rig.simulator.snapshot().received
        #expect(received.map(\.token) == ["ab", "ab"] && received.map(\.apnsID) == pushes.map(\.apnsID))
        #expect(rig.simulator.snapshot().accepted.map(\.apnsID) == pushes.map(\.apnsID))
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    @Test func eachDevice_getsTheNudgeUnderItsOwnID_whenAUserHasSeveral() async throws {
        let rig = try ScenarioRig()
        var pushes = (1...4).map { rig.push($0) }
        for index in pushes.indices { pushes[index].collapseID = .init(7, 7) }
        rig.send(pushes)
        #expect(await rig.outcomes(4) == Array(repeating: .accepted, count: 4))
        #expect(rig.arrivals == ScenarioRig.each((1...4, [1])))
        let accepted = rig.simulator.snapshot().accepted
        #expect(Set(accepted.map(\.apnsID)).count == 4 && Set(accepted.map(\.token)).count == 4)
        #expect(Set(accepted.map(\.collapseID)) == [pushes[0].collapse])
        await rig.expectLog(["opened 1 with 1", "minted"])
    }
}
