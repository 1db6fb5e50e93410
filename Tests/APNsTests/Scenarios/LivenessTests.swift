import APNsSimulator
import HTTP2
import Base
import TestSupport
import Testing

@testable import APNs

/// Connections that can't be made, or at one of several addresses only.
@Suite("Scenarios: liveness", .ownThreads, .timeLimit(.minutes(10))) struct LivenessTests {
    @Test func dial_isGivenUp_whenTCPStandsAndTLSNeverDoes() async throws {
        let rig = try ScenarioRig(
            server: { $0.shakesHands = false },
            configure: { $0.client.connectTimeout = 300 }
        ) { _, _ in nil }
        rig.send(1...1)
        guard case .unsent(let reason) = await rig.outcomes(1).first else { return fail("sent") }
        #expect(reason.contains("no time left to finish the TLS handshake"), "\(reason)")
        #expect(await eventually { rig.simulator.serverCounters.accepted == 1 })
        #expect(rig.arrivals.isEmpty)
        await rig.expectLog(["lost 1, pause 750"])
    }

    @Test func dials_backOffWithJitter_whileConnectionsAreRefused_andPushesAreUnsent() async throws {
        // One after the other: the shortest pause, the longest and one between.
        let dice = Mutex([0, 1, 0.5])
        let rig = try ScenarioRig(jitter: { dice.withLock { $0.isEmpty ? 1 : $0.removeFirst() } }) { _, _ in nil }
        rig.simulator.refuseConnections()
        let pauses: [Int64] = [500, 2_000, 2_250, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
        for (tag, pause) in zip(UInt64(1)..., pauses) {
            #expect(rig.sender.freeSlots == 1)
            rig.send(tag...tag)
            guard case .unsent(let reason) = await rig.outcomes(Int(tag)).last else { return fail("sent") }
            #expect(reason.contains("refused"), "\(reason)")
            #expect(rig.sender.status == .backingOff(until: rig.clock.now + pause, why: reason))
            rig.clock.pass(pause - 1)
            #expect(rig.sender.freeSlots == 0)
            rig.clock.pass(1)
        }
        #expect(rig.simulator.serverCounters.accepted == 0)
        try rig.simulator.acceptConnections()
        rig.send(10...10)
        #expect(await rig.outcomes(10).last == .accepted)
        #expect(rig.arrivals == [10: [1]])
        await rig.expectLog(zip(1..., pauses).map { "lost \($0), pause \($1)" } + ["opened 10 with 1", "minted"])
        #expect((1...9).allSatisfy { AdaptiveLimit.backoff.wait(failures: $0, random: 0) == 500 })
    }

    /// IPv4 and IPv6 behind one name, the service at one of them only: whichever is tried first, the connection comes about.
    /// (127.77.1.3 is loopback too, and no other test's server has the same port there.)
    @Test(arguments: ["127.77.1.3", "::1"])
    func connection_isMade_whenOnlyOneFamilyAnswers(address: String) async throws {
        let rig = try ScenarioRig(
            server: { $0.address = address },
            configure: { $0.client.host = "localhost" },
            resolver: { _ in ["127.77.1.3", "::1"] }
        ) { _, _ in nil }
        await connectOften(rig, 12)
    }

    @Test func bothFamilies_areServed_whenTheServerListensAtBoth() async throws {
        let asked = Mutex(0)
        let rig = try ScenarioRig(
            server: { $0.furtherAddresses = ["::1"] },
            configure: { $0.client.host = "localhost" },
            // Each connection resolves the name again, and gets another answer.
            resolver: { _ in
                asked.withLock { asked in
                    asked += 1
                    return [asked % 2 == 0 ? "127.0.0.1" : "::1"]
                }
            }
        ) { _, _ in nil }
        await connectOften(rig, 6)
        #expect(asked.withLock { $0 } == 6)
    }

    /// A first address that swallows packets takes its share of the time, no more.
    @Test func connection_isMade_whenTheOtherAddressIsABlackHole() async throws {
        let rig = try ScenarioRig(
            configure: { ($0.client.host, $0.client.connectTimeout) = ("localhost", 2_000) },
            resolver: { _ in ["127.0.0.1", "::1"] }
        ) { _, _ in nil }
        let certificate = try ScenarioRig.certificate.get().server
        let hole = try APNsSimulator(script: SimulatorScript(), certificate: certificate, port: rig.simulator.port) {
            ($0.address, $0.shakesHands) = ("::1", false)
        }
        try hole.start()
        await connectOften(rig, 6)
        hole.stop()
    }

    /// The chance that one of two addresses is never the first of 24 is one in eight million.
    @Test func dials_areSpreadOverTheAddresses() async throws {
        let rig = try ScenarioRig(
            configure: { $0.client.host = "localhost" },
            resolver: { _ in ["127.0.0.1", "::1"] }
        ) { _, _ in nil }
        var settings = SimulatorSettings()
        settings.checksProviderToken = false
        let other = try APNsSimulator(
            script: SimulatorScript(settings: settings),
            certificate: try ScenarioRig.certificate.get().server,
            port: rig.simulator.port,
            configure: { $0.address = "::1" }
        )
        try other.start()
        for tag in UInt64(1)...24 {
            rig.send(tag...tag)
            #expect(await rig.outcomes(Int(tag)).last == .accepted)
            rig.sender.reconfigure(rig.configuration)
        }
        let (here, there) = (rig.simulator.counts.accepted, other.counts.accepted)
        #expect(here > 0 && there > 0 && here + there == 24, "\(here), \(there)")
        await rig.end()
        other.stop()
    }

    /// So many pushes, each on a connection of its own.
    private func connectOften(_ rig: ScenarioRig, _ count: Int) async {
        for tag in UInt64(1)...UInt64(count) {
            rig.send(tag...tag)
            #expect(await rig.outcomes(Int(tag)).last == .accepted)
            rig.sender.reconfigure(rig.configuration)
        }
        #expect(rig.accepted == (1...count).reduce(into: [:]) { $0[UInt64($1)] = [$1] })
        await rig.expectLog((1...count).flatMap { $0 == 1 ? ["opened 1 with 1", "minted"] : ["opened \($0) with 1"] })
    }
}
