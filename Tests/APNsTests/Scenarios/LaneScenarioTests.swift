import APNsSimulator
import Certificates
import HTTP2
import OpenSSL
import TestSupport
import Testing

@testable import APNs

/// What `ScenarioTests` does not hold.
@Suite("Scenarios: clocks and a lane's life", .ownThreads, .timeLimit(.minutes(10))) struct LaneScenarioTests {
    private static let minute: Int64 = 60_000

    /// Scenario 11: a token minted early and first used late.
    /// The second connection shows the first token 34 minutes after it was minted, and keeps it for 20 minutes: the simulated Apple would
    /// answer TooManyProviderTokenUpdates to a change before, and ExpiredProviderToken to a token of an hour.
    @Test func connection_keepsItsToken20MinutesFromItsFirstUse() async throws {
        let rig = try ScenarioRig(configure: { ($0.connections, $0.maxInFlight) = (2, 2) }) { tag, _ in
            tag > 1 && tag % 2 == 0 ? .held(then: .accept) : nil
        }
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

    @Test func pushesInFlight_areUnknown_atTheDeadline() async throws {
        let rig = try ScenarioRig { tag, _ in tag == 1 ? nil : .held(then: .accept) }
        await rig.prime()
        rig.send(2...4)
        await rig.hold(3)
        async let drained: Void = rig.sender.drain(deadline: rig.clock.now + 5_000)
        await rig.eventually { rig.sender.status == .draining }
        rig.clock.pass(4_999)
        #expect(rig.resultCount == 1)
        // The deadline's timer may be set just after the status was told: time passes until it was.
        await rig.eventually {
            rig.clock.pass(1)
            return rig.resultCount == 4
        }
        await drained
        let unknown = PushOutcome.unknown(reason: "cut_off")
        #expect(await rig.outcomes(4) == [.accepted, unknown, unknown, unknown])
        #expect(rig.arrivals == ScenarioRig.each((1...4, [1])))
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    private static func foreign(_ fault: String) throws -> ScenarioRig {
        let made = try ScenarioRig.certificate.get()
        let expired = try made.server(for: ["localhost", "127.0.0.1", "::1"], expiringIn: -60)
        switch fault {
        case "not trusted": return try ScenarioRig(authority: SelfSignedAuthority().certificate) { _, _ in nil }
        case "has expired": return try ScenarioRig(certificate: expired) { _, _ in nil }
        case "HTTP/2": return try ScenarioRig(server: { $0.offersHTTP2 = false }) { _, _ in nil }
        default: return try ScenarioRig(certificate: made.server(for: ["api.push.apple.com"])) { _, _ in nil }
        }
    }

    /// Scenario 13: a server that is not Apple's.
    @Test(arguments: ["not trusted", "does not match", "has expired", "HTTP/2"])
    func nothingIsSent_andNoTokenIsMade(fault: String) async throws {
        let rig = try Self.foreign(fault)
        rig.send(1...2)
        let outcomes = await rig.outcomes(2)
        guard case .unsent(let reason) = outcomes.first, outcomes.last == .unsent(reason: reason) else {
            return fail("\(outcomes)")
        }
        #expect(reason.contains(fault), "\(reason)")
        guard case .backingOff(_, reason) = rig.sender.status else { return fail("\(rig.sender.status)") }
        #expect(rig.sender.freeSlots == 0)
        await rig.eventually { rig.simulator.serverCounters.closed == 1 }
        let counters = rig.simulator.serverCounters
        #expect(counters.accepted == 1 && counters.begun == 0 && rig.arrivals.isEmpty)
        await rig.expectLog(["lost 1, pause 750"])
    }
}
