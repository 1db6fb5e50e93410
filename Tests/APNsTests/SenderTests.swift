import COpenSSL
import HTTP2
import Locks
import Testing

@testable import APNs

/// Over real TLS and HTTP/2.
@Suite(.timeLimit(.minutes(1))) struct SenderTests {
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
            ("apns-id", push.apnsID.uuidString.lowercased()), ("apns-collapse-id", "c1"),
        ]
        for (name, value) in expected { #expect(request.headers[name] == value) }
        #expect(request.headers.count == expected.count + 1)
        #expect(request.body == push.payload)
        let parts = request.authorization.dropFirst("bearer ".count).split(separator: ".")
        #expect(request.authorization.hasPrefix("bearer ") && parts.count == 3)
        await rig.end()
    }

    @Test func pushes_areEachSentOnce_whenMany() async throws {
        let rig = try SenderRig()
        rig.send(1...3_000)
        let outcomes = await rig.outcomes(3_000)
        #expect(outcomes.count == 3_000 && outcomes.allSatisfy { $0 == .accepted })
        let requests = rig.apple.requests
        #expect(requests.count == 3_000)
        #expect(Set(requests.map { $0.headers["apns-id"] ?? "" }).count == 3_000)
        #expect(Set(requests.map(\.authorization)).count == 1 && rig.apple.connections == 1)
        #expect(rig.sender.freeSlots == 1_000)
        await rig.end()
    }

    @Test func push_isSentToEach_whenTheSameTokenComesTwice() async throws {
        let rig = try SenderRig()
        rig.send([rig.push(1, token: "ab"), rig.push(2, token: "ab")])
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.apple.requests.map(\.token) == ["ab", "ab"])
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

    @Test func outcomes_followTheTable_whenApplesAnswersDiffer() async throws {
        let gone = Array("{\"reason\":\"Unregistered\",\"timestamp\":1788000000000}".utf8)
        let replies: [ServerReply] = [
            ScriptedApple.accepted, .respond(status: 410, body: gone), ScriptedApple.refused(400, "BadDeviceToken"),
            .respond(status: 429, headers: ["retry-after": "9"], body: Array("{\"reason\":\"TooManyRequests\"}".utf8)),
            .respond(status: 400, body: Array("<html></html>".utf8)),
            .respond(status: 410, body: Array("{\"reason\":\"Unregistered\"".utf8)),
            .respond(status: 410, body: Array(repeating: UInt8(ascii: " "), count: 1 << 20) + gone),
            .respond(status: 410), ScriptedApple.refused(500, "InternalServerError"),
        ]
        let rig = try SenderRig { request, _, _ in replies[(Int(request.token, radix: 16) ?? 1) - 1] }
        for tag in 1...UInt64(replies.count) {
            rig.send(tag...tag)
            _ = await rig.outcomes(Int(tag))
        }
        #expect(
            await rig.outcomes(replies.count) == [
                .accepted,
                .rejected(status: 410, reason: "Unregistered", deletes: .olderThan(timestamp: 1_788_000_000_000)),
                .rejected(status: 400, reason: "BadDeviceToken", deletes: nil),
                .delayed(reason: "TooManyRequests", status: 429, retryAfter: 9),
                .rejected(status: 400, reason: "status_400", deletes: nil),
                .rejected(status: 410, reason: "status_410", deletes: nil),
                .rejected(status: 410, reason: "status_410", deletes: nil),
                .rejected(status: 410, reason: "status_410", deletes: nil),
                .delayed(reason: "InternalServerError", status: 500, retryAfter: nil),
            ]
        )
        #expect(rig.apple.requests.count == replies.count)
        await rig.end()
    }

    @Test func expiredProviderToken_isRefreshedOnceOnANewConnection_andThePushSentAgain() async throws {
        let rig = try SenderRig { request, _, index in
            request.connection == 1 && index > 0
                ? ScriptedApple.refused(403, "ExpiredProviderToken") : ScriptedApple.accepted
        }
        rig.send(1...20)
        #expect(await rig.outcomes(20).allSatisfy { $0 == .accepted })
        let requests = rig.apple.requests
        #expect(rig.apple.connections == 2 && requests.count == 20 + 19)
        let tokens = (1...2).map { number in Set(requests.filter { $0.connection == number }.map(\.authorization)) }
        #expect(tokens[0].count == 1 && tokens[1].count == 1 && tokens[0] != tokens[1])
        await rig.end()
    }

    @Test func lane_stops_keepsTheWork_andResumesByItsProbe() async throws {
        let isMended = Mutex(false)
        let rig = try SenderRig { _, _, index in
            index == 0 || isMended.withLock { $0 }
                ? ScriptedApple.accepted : ScriptedApple.refused(400, "TopicDisallowed")
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...4)
        #expect(await rig.outcomes(4).dropFirst().allSatisfy { $0 == .unsent(reason: "TopicDisallowed") })
        guard case .stopped("TopicDisallowed", let mend, _) = rig.sender.status else {
            Issue.record("\(rig.sender.status)")
            return
        }
        #expect(mend.contains("apns.bundleId") && rig.sender.freeSlots == 0)
        rig.clock.pass(60_000)
        #expect(rig.sender.freeSlots == 1)
        rig.send(5...6)
        #expect(
            await rig.outcomes(6)[4...] == [.unsent(reason: "TopicDisallowed"), .unsent(reason: "TopicDisallowed")]
        )
        #expect(rig.apple.requests.count == 5, "one probe")
        isMended.withLock { $0 = true }
        rig.clock.pass(60_000)
        rig.send(7...7)
        #expect(await rig.outcomes(7).last == .accepted)
        await rig.event { $0 == .laneResumed }
        #expect(rig.log.count { if case .laneStopped = $0 { true } else { false } } == 1)
        #expect(rig.sender.status == .open)
        await rig.end()
    }

    @Test func connection_isMadeAnew_whenItIdledTooLong() async throws {
        let rig = try SenderRig { request, _, index in
            index == 1 ? ScriptedApple.refused(400, "IdleTimeout") : ScriptedApple.accepted
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.apple.requests.map(\.connection) == [1, 1, 2])
        await rig.end()
    }

    @Test func pushesAboveGoAwaysLastStream_areSentExactlyOnceMore() async throws {
        let isOver = Mutex(false)
        let rig = try SenderRig { request, connection, index in
            guard request.connection == 1, index > 0 else { return ScriptedApple.accepted }
            // The second to fifth push are below the last stream id and answered late; what follows is above it.
            if index < 4 { return .respond(status: 200, after: .milliseconds(50)) }
            if index == 4 {
                let reason = "{\"reason\":\"Shutdown\"}"
                connection.goAway(lastStreamID: request.stream, debug: reason)
                connection.goAway(lastStreamID: request.stream, debug: reason)
                isOver.withLock { $0 = true }
                return .respond(status: 200, after: .milliseconds(50))
            }
            return .silence
        }
        rig.send(1...40)
        #expect(await rig.outcomes(40) == Array(repeating: .accepted, count: 40))
        let requests = rig.apple.requests
        for tag in 1...5 { #expect(requests.count { $0.token == rig.push(UInt64(tag)).token } == 1) }
        for tag in 6...40 {
            let mine = requests.filter { $0.token == rig.push(UInt64(tag)).token }
            #expect(mine.count { $0.connection == 2 } == 1 && mine.count <= 2)
        }
        await rig.event { if case .goAway(1, "Shutdown") = $0 { true } else { false } }
        await rig.end()
    }

    @Test func push_isUnknown_whenNobodyAnswers() async throws {
        let rig = try SenderRig(configure: { $0.requestDeadline = 200 }) { _, _, index in
            index == 0 ? ScriptedApple.accepted : .silence
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...3)
        let unknown = PushOutcome.unknown(reason: "no_answer_in_time")
        #expect(await rig.outcomes(3) == [.accepted, unknown, unknown])
        #expect(rig.apple.requests.count == 3)
        #expect(rig.sender.freeSlots == 1_000, "the slots are free again")
        await rig.end()
    }

    @Test func push_isUnknown_whenConnectionIsResetInMidFlight() async throws {
        let rig = try SenderRig { request, connection, index in
            guard index == 1 else { return ScriptedApple.accepted }
            connection.resetTCP()
            return .silence
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .unknown(reason: "connection_lost")])
        rig.send(3...3)
        #expect(await rig.outcomes(3).last == .accepted)
        #expect(rig.apple.requests.count == 3 && rig.apple.connections == 2)
        await rig.end()
    }

    @Test func push_isSentOnANewConnection_whenServerClosedBetweenRequests() async throws {
        let rig = try SenderRig { _, connection, index in
            if index == 0 {
                defer { connection.closeRaw() }
                return ScriptedApple.accepted
            }
            return ScriptedApple.accepted
        }
        rig.send(1...1)
        let first = await rig.outcomes(1)
        await rig.status { $0 == .idle || { if case .backingOff = $0 { true } else { false } }($0) }
        rig.clock.pass(60_000)
        rig.send(2...2)
        #expect(await rig.outcomes(2).last == .accepted)
        #expect(first.count == 1 && rig.apple.connections == 2)
        await rig.end()
    }

    @Test func lane_usesOneStream_untilAppleGivesMore() async throws {
        let open = Mutex((now: 0, most: 0))
        let rig = try SenderRig(streams: 1) { _, connection, index in
            if index == 5 { connection.sendSettings(maxConcurrentStreams: 100) }
            if index <= 5 { open.withLock { $0.most = max($0.most, 1) } }
            return ScriptedApple.accepted
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        #expect(rig.sender.freeSlots == 1)
        rig.send(2...50)
        #expect(await rig.outcomes(50) == Array(repeating: .accepted, count: 50))
        #expect(await rig.sender.waitForFreeSlots(atLeast: 100, until: rig.clock.now + 1_000) == 100)
        await rig.end()
    }
}
