import APNsSimulator
import HTTP2
import TestSupport
import Testing

@testable import APNs

/// What `ScenarioTests` does not hold.
@Suite("Scenarios: pushes", .ownThreads, .timeLimit(.minutes(10))) struct PushScenarioTests {
    /// One push, two to the same token, and a nudge to a user's four devices.
    @Test(arguments: [[nil], ["ab", "ab"], [nil, nil, nil, nil]] as [[String?]])
    func pushes_areAcceptedOnce_asTheyAre(tokens: [String?]) async throws {
        let rig = try ScenarioRig()
        var pushes = tokens.enumerated().map { rig.push(UInt64($0.offset + 1), token: $0.element) }
        if pushes.count == 4 { for index in pushes.indices { pushes[index].collapseID = .init(7, 7) } }
        rig.send(pushes)
        #expect(await rig.outcomes(pushes.count) == Array(repeating: .accepted, count: pushes.count))
        #expect(rig.told.results.now.map(\.tag).sorted() == pushes.map(\.tag))
        let (received, accepted) = (rig.simulator.snapshot().received, rig.simulator.snapshot().accepted)
        #expect(received.map(\.token) == pushes.map(\.token) && received.map(\.apnsID) == pushes.map(\.apnsID))
        #expect(accepted.map(\.apnsID) == pushes.map(\.apnsID) && Set(accepted.map(\.apnsID)).count == pushes.count)
        #expect(received.allSatisfy { $0.connection == 1 } && accepted.allSatisfy { $0.connection == 1 })
        for (taken, push) in zip(accepted, pushes) {
            #expect(
                taken.token == push.token && taken.payload == push.payload && taken.collapseID == push.collapse,
                "\(push.tag)"
            )
            #expect(taken.topic == "com.example.App" && taken.expiration == 1_795_300_000, "\(push.tag)")
        }
        await rig.expectLog(["opened 1 with 1", "minted"])
    }
    static let bodies: [String: [UInt8]] = [
        "none": [], "no text": [0xFF, 0xFE, 0], "HTML": Array("<html><body>Unregistered</body></html>".utf8),
        "a megabyte": Array("{\"reason\":\"Unregistered\",\"x\":\"\(String(repeating: "a", count: 1 << 20))\"}".utf8),
        "truncated": Array("{\"reason\":\"Unregistered\"".utf8), "a number": Array("{\"reason\":410}".utf8),
        "timestamp is text": Array("{\"reason\":\"Unregistered\",\"timestamp\":\"1\"}".utf8),
        "an array": Array("[{\"reason\":\"Unregistered\"}]".utf8),
    ]

    /// Scenario 8: an error with no body, or with one that is none.
    /// By the status' class alone: nothing is deleted, nothing stops, nothing is sent again.
    @Test(arguments: bodies.keys.sorted()) func answers_goByTheirClass(name: String) async throws {
        let statuses: [UInt64: Int] = [2: 410, 3: 400, 4: 403, 5: 429, 6: 503, 7: 200]
        let body = try #require(Self.bodies[name])
        let rig = try ScenarioRig { tag, _ in statuses[tag].map { .rawBody(status: $0, bytes: body) } }
        await rig.prime()
        for tag in UInt64(2)...8 {
            rig.send(tag...tag)
            _ = await rig.outcomes(Int(tag))
        }
        let rejected = [410, 400, 403, 429].map { PushOutcome.rejected($0, "status_\($0)") }
        let delayed = PushOutcome.delayed(reason: "status_503", status: 503, retryAfter: nil)
        #expect(await rig.outcomes(8) == [.accepted] + rejected + [delayed, .accepted, .accepted])
        #expect(rig.arrivals == ScenarioRig.each((1...8, [1])))
        await rig.expectLog(["opened 1 with 1", "minted", "storm of 1, 503 status_503"])
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
}
