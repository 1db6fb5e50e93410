import APNsSimulator
import TestSupport
import Testing

@testable import APNs

@Suite("Scenarios: bodies", .ownThreads, .timeLimit(.minutes(10))) struct BodyScenarioTests {
    /// Scenario 7: 410 with and without a timestamp.
    /// Whether the registration is older is the database's to say: the sender hands over the condition.
    @Test(arguments: ["Unregistered", "ExpiredToken"], [1_788_000_000_123, nil] as [Int64?])
    func condition_isHandedOver(reason: String, timestamp: Int64?) async throws {
        let rig = try ScenarioRig { tag, _ in
            tag == 2 ? .answer(status: 410, reason: reason, timestamp: timestamp) : nil
        }
        await rig.prime()
        rig.send(2...3)
        let deletes = timestamp.map(TokenDeletion.olderThan(timestamp:)) ?? .olderThanSend
        #expect(await rig.outcomes(3) == [.accepted, .rejected(410, reason, deletes: deletes), .accepted])
        #expect(rig.arrivals == ScenarioRig.each((1...3, [1])) && rig.sender.freeSlots == 1_000)
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) { (testDescription, self.bytes) = (name, bytes) }
    }

    static let bodies: [Body] = [
        Body("none", []), Body("HTML", Array("<html><body>Unregistered</body></html>".utf8)),
        Body(
            "a megabyte",
            Array("{\"reason\":\"Unregistered\",\"x\":\"".utf8) + Array(repeating: 97, count: 1 << 20)
                + Array("\"}".utf8)
        ),
        Body("truncated", Array("{\"reason\":\"Unregistered\"".utf8)),
        Body("reason is a number", Array("{\"reason\":410}".utf8)),
        Body("timestamp is text", Array("{\"reason\":\"Unregistered\",\"timestamp\":\"1\"}".utf8)),
        Body("an array", Array("[{\"reason\":\"Unregistered\"}]".utf8)), Body("no text", [0xFF, 0xFE, 0]),
    ]

    /// Scenario 8: an error with no body, or with one that is none.
    /// By the status' class alone: nothing is deleted, nothing stops, nothing is sent again.
    @Test(arguments: bodies) func answers_goByTheirClass(body: Body) async throws {
        let statuses: [UInt64: Int] = [2: 410, 3: 400, 4: 403, 5: 429, 6: 503, 7: 200]
        let rig = try ScenarioRig { tag, _ in
            statuses[tag].map { .rawBody(status: $0, bytes: body.bytes) }
        }
        await rig.prime()
        for tag in UInt64(2)...8 {
            rig.send(tag...tag)
            _ = await rig.outcomes(Int(tag))
        }
        #expect(
            await rig.outcomes(8) == [
                .accepted, .rejected(410, "status_410"), .rejected(400, "status_400"), .rejected(403, "status_403"),
                .rejected(429, "status_429"), .delayed(reason: "status_503", status: 503, retryAfter: nil), .accepted,
                .accepted,
            ]
        )
        #expect(rig.arrivals == ScenarioRig.each((1...8, [1])))
        await rig.expectLog(["opened 1 with 1", "minted", "storm of 1, 503 status_503"])
    }

    @Test func answer_goesByItsClass_whenItNeverEnds() async throws {
        let rig = try ScenarioRig(configure: { $0.client.requestDeadline = 1_000 }) { tag, _ in
            tag == 2 ? .unfinished(status: 410, bytes: Array("{\"reason\":\"Unregistered\"}".utf8)) : nil
        }
        await rig.prime()
        rig.send(2...2)
        #expect(await rig.outcomes(2).last == .rejected(410, "status_410"))
        #expect(rig.arrivals == [1: [1], 2: [1]])
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    /// Scenario 17: 4,096 and 4,097 bytes.
    @Test func pushes_atTheLimitArriveWhole_andThoseOverItAreNotSent() async throws {
        let rig = try ScenarioRig()
        await rig.prime()
        var pushes = (2...3).map { rig.push($0) }
        pushes[0].payload = SilenceScenarioTests.payload(4_096)
        pushes[1].payload = SilenceScenarioTests.payload(4_097)
        rig.send(pushes)
        #expect(await rig.outcomes(3) == [.accepted, .accepted, .payloadTooLarge])
        #expect(rig.arrivals == [1: [1], 2: [1]] && rig.accepted == rig.arrivals)
        #expect(rig.simulator.snapshot().accepted[1].payload == pushes[0].payload)
        await rig.expectLog(["opened 1 with 1", "minted"])
    }

    /// Scenario 19: 429 for one device.
    @Test func onlyThatDevice_waits() async throws {
        let rig = try ScenarioRig { tag, attempt in
            tag == 4 && attempt == 1 ? .answer(status: 429, reason: "TooManyRequests", retryAfter: 9) : nil
        }
        await rig.prime()
        rig.send(2...8)
        let delayed = PushOutcome.delayed(reason: "TooManyRequests", status: 429, retryAfter: 9)
        let found = await rig.outcomes(8)
        #expect(found == [.accepted, .accepted, .accepted, delayed, .accepted, .accepted, .accepted, .accepted])
        #expect(rig.sender.freeSlots == 1_000 && rig.sender.status == .open)
        #expect(rig.arrivals == ScenarioRig.each((1...8, [1])) && rig.accepted[4] == nil)
        // When it is asked again is the daemon's to say.
        rig.send(4...4)
        #expect(await rig.outcomes(9).count { $0 == .accepted } == 8)
        #expect(rig.arrivals[4] == [1, 1] && rig.accepted[4] == [1])
        await rig.expectLog(["opened 1 with 1", "minted"])
    }
}
