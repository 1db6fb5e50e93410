import COpenSSL
import HTTP2
import HTTP2Server
import OpenSSL
import Base
import TestSupport
import Testing

@testable import APNs

/// Connections that can't be made, tokens over time, new configurations, waiting and the end.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SenderLifeTests {
    @Test func newKey_isUsedOnANewConnection_afterReload() async throws {
        let rig = try SenderRig()
        rig.send(1...1)
        _ = await rig.outcomes(1)
        var next = rig.configuration
        next.keyID = "OTHER67890"
        next.signingKey = try P256SigningKey(pem: GeneratedKey.ellipticCurve(NID_X9_62_prime256v1))
        rig.sender.reconfigure(next)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        let requests = rig.apple.requests
        #expect(requests.map(\.connection) == [1, 2] && requests[0].authorization != requests[1].authorization)
        await rig.end()
    }

    @Test func tokenStays_whenOnlyOtherSettingsChange() async throws {
        let rig = try SenderRig()
        rig.send(1...1)
        _ = await rig.outcomes(1)
        var next = rig.configuration
        next.maxInFlight = 7
        // A reload parses the key again.
        next.signingKey = try P256SigningKey(pem: SenderRig.pem)
        rig.sender.reconfigure(next)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.sender.freeSlots == 7)
        let requests = rig.apple.requests
        #expect(requests.map(\.connection) == [1, 1] && requests[0].authorization == requests[1].authorization)
        await rig.end()
    }

    @Test func waiting_ends_whenSlotsAreFree_orTimeIsOver_orTheTaskIsCancelled() async throws {
        let held = Mutex<(ServerConnection, Int32)?>(nil)
        let rig = try SenderRig(configure: { $0.maxInFlight = 1 }) { request, connection, index in
            held.withLock { $0 = (connection, request.stream) }
            return .silence
        }
        #expect(await rig.sender.waitForFreeSlots(atLeast: 50, until: rig.clock.now + 1_000) == 1)
        rig.send(1...1)
        #expect(await rig.sender.waitForFreeSlots(atLeast: 1, until: rig.clock.now) == 0)
        let cancelled = Task { await rig.sender.waitForFreeSlots(atLeast: 1, until: .max) }
        cancelled.cancel()
        #expect(await cancelled.value == 0)
        async let free = rig.sender.waitForFreeSlots(atLeast: 50, until: rig.clock.now + 60_000)
        #expect(await eventually { held.withLock { $0 != nil } })
        let answer = held.withLock { $0 }
        answer?.0.reply(ScriptedApple.accepted, to: answer?.1 ?? 0)
        #expect(await free == 1)
        await rig.end()
    }

    @Test func log_holdsNoSecret_whateverHappens() async throws {
        let rig = try SenderRig { _, connection, index in
            switch index {
            case 1: return ScriptedApple.refused(403, "ExpiredProviderToken")
            case 3: return ScriptedApple.refused(400, "MissingTopic")
            case 4:
                connection.perform(.goAway(lastStreamID: 1, debug: "{\"reason\":\"bad device ab12\"}"))
                return .silence
            default: return ScriptedApple.accepted
            }
        }
        for tag in 1...5 {
            rig.send(UInt64(tag)...UInt64(tag))
            _ = await rig.outcomes(tag)
        }
        let lines = rig.log.map { "\($0)" } + [rig.sender.status.text]
        let secrets = rig.apple.requests.flatMap { [$0.token, String($0.authorization.dropFirst(7))] }
        for line in lines {
            for secret in secrets + ["PRIVATE KEY", "ab12", "aps"] where secret != "aps" || line.contains("{\"aps") {
                #expect(!line.contains(secret))
            }
        }
        #expect(lines.count >= 5)
        await rig.end()
    }
}
