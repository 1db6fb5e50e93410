import APNsSimulator
import HTTP2Server
import HTTP2
import TestSupport
import Testing

@testable import APNs

@Suite("Scenarios: silence", .ownThreads, .timeLimit(.minutes(10))) struct SilenceScenarioTests {
    private static let unknown = PushOutcome.unknown(reason: "no_answer_in_time")

    private func rig() throws -> ScenarioRig {
        try ScenarioRig(configure: { $0.client.requestDeadline = 1_000 }) { tag, _ in
            (2...6).contains(tag) ? .accepted(then: .silence) : nil
        }
    }

    /// Scenario 5: a black hole, accepted and never answered.
    @Test func push_isUnknownAtItsDeadline_itsSlotFreed_andNotSentAgain() async throws {
        let rig = try rig()
        await rig.prime()
        rig.send(2...3)
        #expect(await rig.outcomes(3) == [.accepted, Self.unknown, Self.unknown])
        #expect(rig.sender.freeSlots == 1_000)
        await rig.eventually { rig.simulator.serverCounters.resetsReceived == 2 }
        rig.send(7...7)
        #expect(await rig.outcomes(4).last == .accepted)
        #expect(rig.arrivals == [1: [1], 2: [1], 3: [1], 7: [1]] && rig.accepted == rig.arrivals)
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    @Test func connection_isGivenUp_whenThreeInARowAreNotAnswered() async throws {
        let rig = try rig()
        await rig.prime()
        rig.send(2...6)
        let found = await rig.outcomes(6).dropFirst()
        #expect(found == [Self.unknown, Self.unknown, Self.unknown, Self.unknown, Self.unknown])
        rig.send(7...7)
        #expect(await rig.outcomes(7).last == .accepted)
        #expect(rig.arrivals == ScenarioRig.each((1...6, [1]), (7...7, [2])) && rig.accepted == rig.arrivals)
        await rig.expectLog(["opened 1 with 1", "minted", "silent 1 after 3", "opened 2 with 1"])
    }

    /// Scenario 6: TCP reset in mid-flight.
    /// Whether Apple took them or not: nobody can know.
    @Test(arguments: [ScriptedAnswer.held(then: .accept), .accepted(then: .held(then: .accept))])
    func pushesInFlight_areUnknown_andThoseThatWaitedAreSentOnce(answer: ScriptedAnswer) async throws {
        let rig = try ScenarioRig(configure: { $0.maxInFlight = 5 }) { tag, _ in (2...6).contains(tag) ? answer : nil }
        await rig.prime()
        rig.send(2...9)
        await rig.hold(5)
        rig.simulator.perform(.resetTCP)
        let unknown = PushOutcome.unknown(reason: "connection_lost")
        let found = await rig.outcomes(9)
        #expect(found == [.accepted] + Array(repeating: unknown, count: 5) + Array(repeating: .accepted, count: 3))
        rig.simulator.release()
        #expect(rig.arrivals == ScenarioRig.each((1...6, [1]), (7...9, [2])))
        await rig.expectLog(["opened 1 with 1", "minted", "lost 1, pause 0", "opened 2 with 1"])
    }

    /// Scenario 15: window 0.
    @Test func pushes_waitForTheStreamsWindow_andAreSentOnce() async throws {
        let rig = try ScenarioRig { tag, _ in tag == 1 ? .doing(.window(0), then: .accept) : nil }
        await rig.prime()
        rig.send(2...6)
        await rig.eventually { rig.simulator.serverCounters.begun == 6 }
        #expect(rig.arrivals == [1: [1]] && rig.resultCount == 1 && rig.sender.freeSlots == 995)
        rig.simulator.perform(.window(65_535))
        #expect(await rig.outcomes(6) == Array(repeating: .accepted, count: 6))
        #expect(rig.arrivals == ScenarioRig.each((1...6, [1])) && rig.accepted == rig.arrivals)
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    /// 65,535 bytes for all streams together: 16 payloads of 4,000 bytes and a part of one.
    @Test func pushes_waitForTheConnectionsWindow_andArriveWhole() async throws {
        let rig = try ScenarioRig(server: {
            $0.updatesWindows = false
            $0.connectionWindowSize = 65_535
        }) { _, _ in nil }
        await rig.prime()
        let pushes = (UInt64(2)...31).map { tag -> Push in
            var push = rig.push(tag)
            push.payload = Self.payload(4_000)
            return push
        }
        rig.send(pushes)
        #expect(await rig.outcomes(17) == Array(repeating: .accepted, count: 17))
        await rig.eventually { rig.simulator.serverCounters.begun == 31 }
        #expect(rig.resultCount == 17 && rig.simulator.counts.requests == 17)
        rig.simulator.perform(.connectionWindow(1 << 20))
        #expect(await rig.outcomes(31) == Array(repeating: .accepted, count: 31))
        #expect(rig.arrivals == ScenarioRig.each((1...31, [1])) && rig.accepted == rig.arrivals)
        #expect(rig.simulator.snapshot().accepted.dropFirst().allSatisfy { $0.payload.count == 4_000 })
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    @Test func push_isUnsent_whenTheWindowNeverOpens() async throws {
        let rig = try ScenarioRig(configure: { $0.client.requestDeadline = 1_000 }) { tag, _ in
            tag == 1 ? .doing(.window(0), then: .accept) : nil
        }
        await rig.prime()
        rig.send(2...3)
        let late = PushOutcome.unsent(reason: "not_written_in_time")
        #expect(await rig.outcomes(3) == [.accepted, late, late])
        #expect(rig.arrivals == [1: [1]] && rig.sender.freeSlots == 1_000)
        rig.simulator.perform(.window(65_535))
        rig.send(4...4)
        #expect(await rig.outcomes(4).last == .accepted)
        #expect(rig.arrivals == [1: [1], 4: [1]])
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    static func payload(_ count: Int) -> [UInt8] {
        let start = Array("{\"aps\":{},\"x\":\"".utf8)
        return start + Array(repeating: UInt8(ascii: "a"), count: count - start.count - 2) + Array("\"}".utf8)
    }

    static let breaks: [ConnectionAction] = [
        .truncatedFrame,
        // A block of HEADERS that HPACK can't read.
        .garbage([0, 0, 4, 1, 4, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]),
        // DATA on stream 0, and on a stream that nobody opened.
        .garbage([0, 0, 1, 0, 0, 0, 0, 0, 0, 1]), .garbage([0, 0, 1, 0, 0, 0, 0, 3, 0xE9, 1]),
        // SETTINGS of five bytes; a frame over 16,384 bytes; PING of one byte.
        .garbage([0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]), .garbage([0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]),
        .garbage([0, 0, 1, 6, 0, 0, 0, 0, 0, 1]),
        // HTTP/1.1 in the middle.
        .garbage(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
    ]

    /// Scenario 20: frames truncated or garbled.
    @Test(arguments: breaks)
    func pushesInFlight_areUnknown_andTheRestUsesANewConnection(broken: ConnectionAction) async throws {
        let rig = try ScenarioRig(configure: { $0.maxInFlight = 3 }) { tag, _ in
            (2...4).contains(tag) ? .held(then: .accept) : nil
        }
        await rig.prime()
        rig.send(2...6)
        await rig.hold(3)
        rig.simulator.perform(broken)
        let unknown = PushOutcome.unknown(reason: "connection_lost")
        #expect(await rig.outcomes(6) == [.accepted, unknown, unknown, unknown, .accepted, .accepted])
        #expect(rig.arrivals == ScenarioRig.each((1...4, [1]), (5...6, [2])))
        #expect(rig.accepted == [1: [1], 5: [2], 6: [2]])
        await rig.expectLog(["opened 1 with 1", "minted", "lost 1, pause 0", "opened 2 with 1"])
    }

    @Test func connection_stays_whenAFrameComesInPieces() async throws {
        let rig = try ScenarioRig { tag, _ in tag == 2 ? .held(then: .accept) : nil }
        await rig.prime()
        rig.send(2...2)
        await rig.hold(1)
        // A PING in three records, and a frame of a type that nobody knows, which is to be ignored (RFC 9113 section 4.1).
        for piece in [[0, 0, 8], [6, 0, 0, 0, 0, 0, 1, 2, 3], [4, 5, 6, 7, 8, 0, 0, 1, 0xEE, 0, 0, 0, 0, 0, 9]] {
            rig.simulator.perform(.garbage(piece.map { UInt8($0) }))
        }
        // The PING's answer says that all pieces are out: the push's answer would go before raw bytes that wait, and so between two pieces.
        await rig.eventually { rig.simulator.serverCounters.pongsReceived == 1 }
        rig.simulator.release()
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.arrivals == [1: [1], 2: [1]])
        await rig.expectLog(["opened 1 with 1", "minted"])
    }
}
