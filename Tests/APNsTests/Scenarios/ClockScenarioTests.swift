import APNsSimulator
import TestSupport
import Testing

@testable import APNs

@Suite("Scenarios: clocks", .ownThreads, .timeLimit(.minutes(10))) struct ClockScenarioTests {
    private static let minute: Int64 = 60_000

    /// Scenario 10: the wall clock steps by two hours.
    @Test(arguments: [120, -120] as [Int64])
    func sending_goesOnWithTheToken_untilItMustChange_thenStopsAndResumes(error: Int64) async throws {
        let rig = try ScenarioRig()
        await rig.prime()
        rig.clock.stepWall(to: error * Self.minute)
        rig.send(2...2)
        #expect(await rig.outcomes(2).last == .accepted)
        rig.clock.pass(20 * Self.minute)
        rig.send(3...3)
        // A token of this wrong clock may not be shown here yet, and the old one is good.
        #expect(await rig.outcomes(3).last == .accepted)
        #expect(rig.providerTokens == ScenarioRig.each((1...3, [1])))
        rig.clock.pass(Self.minute)
        rig.send(4...4)
        // A new token is expired by Apple's clock, also on a new connection. So this machine's clock must be wrong.
        #expect(await rig.outcomes(4).last == .unsent(reason: "ExpiredProviderToken"))
        #expect(rig.arrivals == [1: [1], 2: [1], 3: [1], 4: [1, 2]] && rig.providerTokens[4] == [2, 3])
        guard case .stopped("ExpiredProviderToken", let remedy, _) = rig.sender.status else {
            return fail("\(rig.sender.status)")
        }
        #expect(remedy.contains("clock"))
        rig.clock.stepWall(to: 0)
        rig.clock.pass(Self.minute)
        rig.send(5...5)
        #expect(await rig.outcomes(5).last == .accepted)
        #expect(rig.arrivals[5] == [3] && rig.providerTokens[5] == [4])
        await rig.expectLog([
            "opened 1 with 1", "minted", "minted", "opened 2 with 1", "minted", "stopped ExpiredProviderToken",
            "opened 3 with 1", "minted", "resumed",
        ])
    }

    /// Pauses and deadlines go by the clock that does not step.
    @Test(arguments: [120, -120] as [Int64]) func pauses_stand(error: Int64) async throws {
        let rig = try ScenarioRig()
        rig.simulator.refuseConnections()
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.clock.stepWall(to: error * Self.minute)
        guard case .backingOff(let until, _) = rig.sender.status else { return fail("\(rig.sender.status)") }
        #expect(until == rig.clock.now + 750 && rig.sender.freeSlots == 0)
        try rig.simulator.acceptConnections()
        rig.clock.pass(750)
        rig.send(2...2)
        rig.clock.stepWall(to: 0)
        #expect(await rig.outcomes(2).count == 2)
        await rig.expectLog(["lost 1, pause 750", "opened 2 with 1", "minted"])
    }

    /// Scenario 11: a token minted early and first used late.
    /// The second connection shows the first token 34 minutes after it was minted, and keeps it for 20 minutes: the simulated Apple would
    /// answer TooManyProviderTokenUpdates to a change before, and ExpiredProviderToken to a token of an hour.
    @Test func connection_keepsItsToken20MinutesFromItsFirstUse() async throws {
        let rig = try ScenarioRig(configure: {
            $0.connections = 2
            $0.maxInFlight = 2
        }) { tag, _ in tag > 1 && tag % 2 == 0 ? .held(then: .accept) : nil }
        await rig.prime()
        // Minutes that pass, and the tokens that both connections show then. The second one's 20 minutes run from 55.
        let rounds: [(span: Int64, shown: [Int])] = [
            (34, [1, 1]), (1, [2, 1]), (1, [2, 1]), (18, [2, 1]), (1, [2, 2]), (15, [3, 2]), (4, [3, 2]), (2, [3, 3]),
        ]
        for (index, round) in rounds.enumerated() {
            let tag = UInt64(2 + 2 * index)
            rig.clock.pass(round.span * Self.minute)
            // The first of two fills connection 1, so that the second uses connection 2.
            rig.send(tag...tag)
            await rig.hold(1)
            rig.send(tag + 1...tag + 1)
            _ = await rig.outcomes(Int(tag))
            rig.simulator.release()
            _ = await rig.outcomes(Int(tag) + 1)
            let (arrivals, tokens) = (rig.arrivals, rig.providerTokens)
            #expect(arrivals[tag] == [1] && arrivals[tag + 1] == [2])
            #expect((tokens[tag] ?? []) + (tokens[tag + 1] ?? []) == round.shown, "\(tag)")
        }
        #expect(await rig.outcomes(17) == Array(repeating: .accepted, count: 17))
        await rig.expectLog(["opened 1 with 1", "minted", "opened 2 with 1", "minted", "minted"])
    }

    /// Scenario 18: storms of 500 and 503.
    @Test(arguments: [(500, "InternalServerError"), (503, "ServiceUnavailable")])
    func rate_fallsBy90PercentInTenSeconds_withOneLineAnInterval(status: Int, reason: String) async throws {
        let good: UInt64 = 1 + 5 * 400
        let rig = try ScenarioRig(configure: { $0.maxInFlight = 400 }) { tag, _ in
            tag > good ? .answer(status: status, reason: reason) : nil
        }
        await rig.prime()
        var tag: UInt64 = 1
        /// One turn of 20 ms: as many pushes as may be committed.
        func turn() async -> Int {
            let free = rig.sender.freeSlots
            if free > 0 {
                rig.send(tag + 1...tag + UInt64(free))
                tag += UInt64(free)
                let count = Int(tag)
                await rig.told.results.wait { $0.count >= count }
            }
            rig.clock.pass(20)
            return free
        }
        for _ in 0..<5 { #expect(await turn() == 400) }
        var seconds: [Int] = []
        var lines: [Int] = []
        for _ in 0..<30 {
            var sent = 0
            for _ in 0..<50 { sent += await turn() }
            seconds.append(sent)
            lines.append(rig.log.count { if case .storm = $0 { true } else { false } })
        }
        // 400 a turn were 20,000 a second.
        #expect(seconds[0] < 2_000 && (seconds[10...].max() ?? .max) * 10 <= seconds[0], "\(seconds)")
        #expect(seconds[10...].reduce(0, +) <= 60, "\(seconds)")
        // The last turn of a second is the first instant of the next.
        #expect([lines[0], lines[8], lines[10], lines[18], lines[20], lines[28]] == [1, 1, 2, 2, 3, 3], "\(lines)")
        let counted = rig.log.reduce(0) { if case .storm(let count, _, _) = $1 { $0 + count } else { $0 } }
        #expect(counted <= Int(tag - good) && counted >= seconds[0], "\(counted) of \(tag - good)")
        let delayed = PushOutcome.delayed(reason: reason, status: status, retryAfter: nil)
        #expect(await rig.outcomes(Int(tag)).dropFirst(Int(good)).allSatisfy { $0 == delayed })
        #expect(rig.arrivals == ScenarioRig.each((1...tag, [1])), "nothing is sent again by the sender")
        await rig.end()
    }
}
