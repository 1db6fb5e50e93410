import APNsSimulator
import COpenSSL
import HTTP2
import HTTP2Server
import OpenSSL
import TestSupport
import Testing

@testable import APNs

/// Over real TLS and HTTP/2.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SenderTests {
    /// Keeps the last request as it came.
    private final class Keeper: ServerHandler {
        let seen = Observed<ServerRequest?>(nil)

        func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
            seen.change { $0 = request }
            return .respond(status: 200)
        }
    }

    @Test func push_arrivesWhole_whenAccepted() async throws {
        let keeper = Keeper()
        let configuration = ServerConfiguration(try ScenarioRig.certificate.get().server)
        let server = try Server(configuration: configuration, handler: keeper)
        try server.start()
        defer { server.stop() }
        let rig = try ScenarioRig(configure: { $0.client.port = server.port }) { _, _ in nil }
        rig.send(1...1)
        #expect(await rig.outcomes(1) == [.accepted])
        let request = try #require(keeper.seen.now)
        let push = rig.push(1)
        let expected: [(String, String)] = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(push.token)"),
            (":authority", "127.0.0.1:\(server.port)"), ("apns-topic", "com.example.App"),
            ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-expiration", "1795300000"),
            ("apns-id", push.apnsID.uuidString.lowercased()), ("apns-collapse-id", push.collapse),
        ]
        for (name, value) in expected { #expect(request.headers[name] == value) }
        #expect(request.headers.count == expected.count + 1 && request.body == push.payload)
        let authorization = request.headers["authorization"] ?? ""
        let parts = authorization.dropFirst("bearer ".count).split(separator: ".")
        #expect(authorization.hasPrefix("bearer ") && parts.count == 3)
        await rig.end()
    }

    @Test func connection_whenTheServerFloodsIt_isClosed_andTheNextDialWaits() async throws {
        let frames = [[UInt8]](repeating: [0, 0, 0, 0xEE, 0, 0, 0, 0, 0], count: 65_536).flatMap(\.self)
        let rig = try ScenarioRig { tag, _ in tag == 1 ? .doing(.garbage(frames), then: .accept) : nil }
        rig.send(1...1)
        #expect(await rig.outcomes(1) == [.accepted])
        await rig.event { event in
            guard case .connectionLost(1, let why, let pause) = event else { return false }
            return why.contains("without end") && pause > 0
        }
        guard case .backingOff(let until, _) = rig.sender.status else { return fail("\(rig.sender.status)") }
        rig.clock.pass(until - rig.clock.now)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.arrivals == [1: [1], 2: [2]])
        await rig.end()
    }

    @Test func twoConnections_shareTheLoadAndTheToken_whenOneIsFull() async throws {
        let rig = try ScenarioRig(configure: { ($0.connections, $0.maxInFlight) = (2, 20) }) { tag, _ in
            tag == 1 ? nil : .delay(.milliseconds(20), then: .accept)
        }
        rig.send(1...400)
        #expect(await rig.outcomes(400).allSatisfy { $0 == .accepted })
        #expect(Set(rig.arrivals.values.joined()) == [1, 2] && Set(rig.providerTokens.values.joined()) == [1])
        await rig.end()
    }

    /// - Parameter isLast: whether the refusal is the batch's last answer.
    @Test(arguments: [true, false]) func quarantine_reachesTheSender_whicheverComesLast(_ isLast: Bool) async throws {
        let bad: UInt64 = 3
        let rig = try ScenarioRig { tag, _ in
            let answer: ScriptedAnswer? = tag == bad ? .answer(status: 400, reason: "BadDeviceToken") : nil
            // One of the two waits for the other.
            return tag != 1 && (tag == bad) == isLast ? .held(then: answer ?? .accept) : answer
        }
        await rig.prime()
        let quarantined = Observed<[RefusedToken]>([])
        let results = Observed<[PushResult]>([])
        let batch = PushBatch([rig.push(2), rig.push(bad)])
        rig.sender.send(batch, onQuarantine: { tokens in quarantined.change { $0 += tokens } }) { more in
            results.change { $0 += more }
        }
        await results.wait { $0.count == 1 }
        #expect(await rig.simulator.wait { $0.held == 1 })
        rig.simulator.release()
        await results.wait { $0.count == 2 }
        #expect(quarantined.now.isEmpty, "before the window closes")
        #expect(rig.sender.concludeWindow() && quarantined.now == [RefusedToken(slot: 1, reason: "BadDeviceToken")])
        #expect(!rig.sender.concludeWindow())
        let isEmpty = rig.sender.core.withLock { $0.state.batches.isEmpty && $0.state.window.suspects.isEmpty }
        #expect(isEmpty, "nothing is kept")
        await rig.end()
    }

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
        let secrets = (UInt64(1)...5).map { rig.push($0).token } + ["eyJ", "PRIVATE KEY", "ab12", "{\"aps"]
        for line in lines { for secret in secrets { #expect(!line.contains(secret)) } }
        #expect(lines.count >= 5)
        await rig.end()
    }
}
