import APNsSimulator
import COpenSSL
import HTTP2
import OpenSSL
import TestSupport
import Testing

@testable import APNs

/// New configurations, waiting and the log.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SenderLifeTests {
    @Test func newKey_isUsedOnANewConnection_afterReload() async throws {
        let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
        let rig = try ScenarioRig(
            settings: { $0.keys.append((keyID: "OTHER67890", teamID: "TEAM456789", pem: pem)) }
        ) { _, _ in nil }
        await rig.prime()
        var next = rig.configuration
        next.keyID = "OTHER67890"
        next.signingKey = try P256SigningKey(pem: pem)
        rig.sender.reconfigure(next)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.arrivals == [1: [1], 2: [2]] && rig.providerTokens == [1: [1], 2: [2]])
        await rig.end()
    }

    @Test func tokenStays_whenOnlyOtherSettingsChange() async throws {
        let rig = try ScenarioRig()
        await rig.prime()
        var next = rig.configuration
        next.maxInFlight = 7
        // A reload parses the key again.
        next.signingKey = try P256SigningKey(pem: ScenarioRig.pem)
        rig.sender.reconfigure(next)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.sender.freeSlots == 7)
        #expect(rig.arrivals == [1: [1], 2: [1]] && rig.providerTokens == [1: [1], 2: [1]])
        await rig.end()
    }

    @Test func waiting_ends_whenSlotsAreFree_orTimeIsOver_orTheTaskIsCancelled() async throws {
        let rig = try ScenarioRig(configure: { $0.maxInFlight = 1 }) { _, _ in .held(then: .accept) }
        #expect(await rig.sender.waitForFreeSlots(atLeast: 50, until: rig.clock.now + 1_000) == 1)
        rig.send(1...1)
        #expect(await rig.sender.waitForFreeSlots(atLeast: 1, until: rig.clock.now) == 0)
        let cancelled = Task { await rig.sender.waitForFreeSlots(atLeast: 1, until: .max) }
        cancelled.cancel()
        #expect(await cancelled.value == 0)
        async let free = rig.sender.waitForFreeSlots(atLeast: 50, until: rig.clock.now + 60_000)
        await rig.hold(1)
        rig.simulator.release()
        #expect(await free == 1)
        await rig.end()
    }

    @Test func log_holdsNoSecret_whateverHappens() async throws {
        let rig = try ScenarioRig { tag, attempt in
            switch (tag, attempt) {
            case (2, 1): .answer(status: 403, reason: "ExpiredProviderToken")
            case (3, _): .answer(status: 400, reason: "MissingTopic")
            case (4, 1): .goAway(.beforeThis, reason: "bad device ab12", then: .silence)
            default: nil
            }
        }
        for tag in 1...5 {
            rig.send(UInt64(tag)...UInt64(tag))
            _ = await rig.outcomes(tag)
        }
        let lines = rig.log.map { "\($0)" } + [rig.sender.status.text]
        // A provider token begins with `eyJ`: its header's `{"` in base64.
        let secrets = (1...5).map { rig.push($0).token } + ["eyJ", "PRIVATE KEY", "ab12", "{\"aps"]
        for line in lines {
            for secret in secrets { #expect(!line.contains(secret)) }
        }
        #expect(lines.count >= 5)
        await rig.end()
    }
}
