import APNsSimulator
import HTTP2
import Certificates
import OpenSSL
import TestSupport
import Testing

@testable import APNs

@Suite("Scenarios: a lane's life", .ownThreads, .timeLimit(.minutes(10))) struct LifeScenarioTests {
    private func rig() throws -> ScenarioRig {
        try ScenarioRig(configure: { $0.maxInFlight = 5 }) { tag, _ in tag == 1 ? nil : .held(then: .accept) }
    }

    /// Scenario 12: SIGTERM drains.
    @Test func pushesInFlight_areAwaited_waitingOnesAreUnsentAtOnce() async throws {
        let rig = try rig()
        await rig.prime()
        rig.send(2...9)
        await rig.hold(5)
        async let drained: Void = rig.sender.drain(deadline: rig.clock.now + 5_000)
        let unsent = PushOutcome.unsent(reason: "draining")
        #expect(await rig.outcomes(4) == [.accepted, unsent, unsent, unsent])
        rig.send(10...10)
        #expect(await rig.outcomes(5).last == unsent)
        #expect(rig.sender.freeSlots == 0 && rig.sender.status == .draining)
        rig.simulator.release()
        await drained
        #expect(await rig.outcomes(10).count { $0 == .accepted } == 6)
        #expect(rig.arrivals == ScenarioRig.each((1...6, [1])) && rig.accepted == rig.arrivals)
        await rig.eventually { rig.simulator.serverCounters.closed == 1 }
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    @Test func pushesInFlight_areUnknown_atTheDeadline() async throws {
        let rig = try rig()
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

    enum Fault: CaseIterable { case untrusted, wrongName, expired, noHTTP2 }

    private func rig(_ fault: Fault) throws -> ScenarioRig {
        let made = try ScenarioRig.certificate.get()
        let names = ["localhost", "127.0.0.1", "::1"]
        switch fault {
        case .untrusted: return try ScenarioRig(authority: try SelfSignedAuthority().certificate) { _, _ in nil }
        case .wrongName: return try ScenarioRig(certificate: made.server(for: ["api.push.apple.com"])) { _, _ in nil }
        case .expired: return try ScenarioRig(certificate: try made.server(for: names, expiringIn: -60)) { _, _ in nil }
        case .noHTTP2: return try ScenarioRig(server: { $0.offersHTTP2 = false }) { _, _ in nil }
        }
    }

    /// Scenario 13: a server that is not Apple's.
    @Test(arguments: Fault.allCases) func nothingIsSent_andNoTokenIsMade(fault: Fault) async throws {
        let words = [
            Fault.untrusted: "not trusted", .wrongName: "does not match", .expired: "has expired", .noHTTP2: "HTTP/2",
        ]
        let rig = try rig(fault)
        rig.send(1...2)
        let outcomes = await rig.outcomes(2)
        guard case .unsent(let reason) = outcomes.first, outcomes.last == .unsent(reason: reason) else {
            return fail("\(outcomes)")
        }
        #expect(reason.contains(words[fault] ?? "?"), "\(reason)")
        guard case .backingOff(_, reason) = rig.sender.status else { return fail("\(rig.sender.status)") }
        #expect(rig.sender.freeSlots == 0)
        await rig.eventually { rig.simulator.serverCounters.closed == 1 }
        let counters = rig.simulator.serverCounters
        #expect(counters.accepted == 1 && counters.begun == 0 && rig.arrivals.isEmpty)
        await rig.expectLog(["lost 1, pause 750"])
    }
}
