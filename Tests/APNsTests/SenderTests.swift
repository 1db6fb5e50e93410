import APNsSimulator
import Base
import COpenSSL
import HTTP2
import TestSupport
import Testing

@testable import APNs

/// Over real TLS and HTTP/2.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SenderTests {
    @Test func push_arrivesWhole_whenAccepted() async throws {
        let rig = try SenderRig()
        rig.send(1...1)
        #expect(await rig.outcomes(1) == [.accepted])
        let request = try #require(rig.apple.requests.first)
        let push = rig.push(1)
        let expected: [(String, String)] = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(push.token)"),
            (":authority", "127.0.0.1:\(rig.server.port)"), ("apns-topic", "com.example.App"),
            ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-expiration", "1795300000"),
            ("apns-id", push.apnsID.uuidString.lowercased()), ("apns-collapse-id", push.collapse),
        ]
        for (name, value) in expected { #expect(request.headers[name] == value) }
        #expect(request.headers.count == expected.count + 1)
        #expect(request.body == push.payload)
        let parts = request.authorization.dropFirst("bearer ".count).split(separator: ".")
        #expect(request.authorization.hasPrefix("bearer ") && parts.count == 3)
        await rig.end()
    }

    @Test func connection_whenTheServerFloodsIt_isClosed_andTheNextDialWaits() async throws {
        let frames = [[UInt8]](repeating: [0, 0, 0, 0xEE, 0, 0, 0, 0, 0], count: 65_536).flatMap(\.self)
        let rig = try SenderRig { _, connection, index in
            if index == 0 { connection.perform(.garbage(frames)) }
            return ScriptedApple.accepted
        }
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
        #expect(rig.apple.requests.map(\.connection) == [1, 2])
        await rig.end()
    }

    @Test func twoConnections_shareTheLoadAndTheToken_whenOneIsFull() async throws {
        let rig = try SenderRig(configure: {
            $0.connections = 2
            $0.maxInFlight = 20
        }) { _, _, index in .respond(status: 200, after: index == 0 ? nil : .milliseconds(20)) }
        rig.send(1...400)
        #expect(await rig.outcomes(400).allSatisfy { $0 == .accepted })
        #expect(Set(rig.apple.requests.map(\.connection)) == [1, 2])
        #expect(Set(rig.apple.requests.map(\.authorization)).count == 1)
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
        let quarantined = Collected<RefusedToken>()
        let results = Collected<PushResult>()
        rig.sender.send(PushBatch([rig.push(2), rig.push(bad)]), onQuarantine: { quarantined.append($0) }) {
            results.append($0)
        }
        await results.wait { $0.count == 1 }
        #expect(await rig.simulator.wait { $0.held == 1 })
        rig.simulator.release()
        await results.wait { $0.count == 2 }
        #expect(quarantined.all.isEmpty, "before the window closes")
        #expect(rig.sender.concludeWindow())
        #expect(quarantined.all == [RefusedToken(slot: 1, reason: "BadDeviceToken")])
        #expect(!rig.sender.concludeWindow())
        #expect(
            rig.sender.core.withLock { $0.state.batches.count == 0 && $0.state.window.suspects.isEmpty },
            "nothing is kept"
        )
        await rig.end()
    }
}
