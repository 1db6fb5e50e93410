import COpenSSL
import HTTP2
import Base
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
        guard case .backingOff(let until, _) = rig.sender.status else {
            Issue.record("\(rig.sender.status)")
            return
        }
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
}
