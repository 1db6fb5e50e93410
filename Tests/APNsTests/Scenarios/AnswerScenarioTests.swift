import APNsSimulator
import HTTP2
import OpenSSL
import TestSupport
import Testing

@testable import APNs

/// Every row of the table of answers but the two of quarantine: one push draws the answer, its repeats are accepted, and one more push follows.
@Suite("Scenarios: Apple's answers", .ownThreads, .timeLimit(.minutes(10))) struct AnswerScenarioTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let answer: ScriptedAnswer
        let outcome: PushOutcome
        /// The connections on which the push arrived, and the provider tokens that it showed.
        var arrivals = [1]
        var providerTokens = [1]
        var log: [String] = []
        /// Where the push after it arrives.
        var next = 1

        var testDescription: String { "\(answer)" }
    }

    /// Sent again on a new connection, and accepted there.
    private static func resent(
        _ status: Int,
        _ reason: String,
        providerTokens: [Int] = [1, 1],
        log: [String] = []
    ) -> Row {
        Row(
            answer: .answer(status: status, reason: reason),
            outcome: .accepted,
            arrivals: [1, 2],
            providerTokens: providerTokens,
            log: ["opened 2 with 1"] + log,
            next: 2
        )
    }

    private static func rejected(_ status: Int, _ reason: String, log: [String] = []) -> Row {
        Row(answer: .answer(status: status, reason: reason), outcome: .rejected(status, reason), log: log)
    }

    /// It waits, and a 5xx is a storm.
    private static func delayed(_ status: Int, _ reason: String, retryAfter: Int? = nil, log: [String] = []) -> Row {
        Row(
            answer: .answer(status: status, reason: reason, retryAfter: retryAfter),
            outcome: .delayed(reason: reason, status: status, retryAfter: retryAfter),
            log: (status < 500 ? [] : ["storm of 1, \(status) \(reason)"]) + log,
            next: log.isEmpty ? 1 : 2
        )
    }

    static let rows: [Row] =
        [
            Row(answer: .accept, outcome: .accepted),
            Row(
                answer: .unregistered(timestamp: 1_788_000_000_000),
                outcome: .rejected(410, "Unregistered", deletes: .olderThan(timestamp: 1_788_000_000_000))
            ),
            Row(
                answer: .answer(status: 410, reason: "ExpiredToken"),
                outcome: .rejected(410, "ExpiredToken", deletes: .olderThanSend)
            ),
            resent(403, "ExpiredProviderToken", providerTokens: [1, 2], log: ["minted"]),
            resent(403, "UnrelatedKeyIdInToken"), resent(400, "IdleTimeout"),
            delayed(429, "TooManyRequests", retryAfter: 30), delayed(500, "InternalServerError"),
            delayed(503, "ServiceUnavailable", retryAfter: 120), delayed(503, "Shutdown", log: ["opened 2 with 1"]),
            rejected(400, "NeverHeardOf"), rejected(403, "NeverHeardOf"), rejected(410, "BadTopic"),
            Row(answer: .rawBody(status: 418, bytes: []), outcome: .rejected(418, "status_418")),
            Row(
                answer: .rawBody(status: 502, bytes: Array("<html>".utf8)),
                outcome: .delayed(reason: "status_502", status: 502, retryAfter: nil),
                log: ["storm of 1, 502 status_502"]
            ),
        ]
        + AnswerTests.rows.filter { $0.action == .reject }.map { rejected($0.status, $0.reason) }
        + AnswerTests.rows.filter { $0.action == .ourBug }.map {
            rejected($0.status, $0.reason, log: ["our bug \($0.status) \($0.reason)"])
        }

    @Test(arguments: rows) func answer_doesWhatItsRowSays(row: Row) async throws {
        let rig = try ScenarioRig { tag, attempt in tag == 2 && attempt == 1 ? row.answer : nil }
        await rig.prime()
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, row.outcome])
        rig.send(3...3)
        #expect(await rig.outcomes(3).last == .accepted)
        #expect(rig.arrivals == [1: [1], 2: row.arrivals, 3: [row.next]])
        #expect(rig.providerTokens[2] == row.providerTokens)
        #expect(rig.accepted[2] == (row.outcome == .accepted ? row.arrivals.suffix(1) : nil))
        await rig.expectLog(["opened 1 with 1", "minted"] + row.log)
    }

    @Test(arguments: AnswerTests.stopping)
    func lane_stopsKeepsTheWorkAndResumesByItsProbe(row: (status: Int, reason: String)) async throws {
        let rig = try ScenarioRig { tag, _ in
            tag > 1 && tag < 8 ? .answer(status: row.status, reason: row.reason) : nil
        }
        await rig.prime()
        rig.send(2...4)
        let unsent = PushOutcome.unsent(reason: row.reason)
        #expect(await rig.outcomes(4).dropFirst() == [unsent, unsent, unsent])
        guard case .stopped(row.reason, let remedy, _) = rig.sender.status else { return fail("\(rig.sender.status)") }
        #expect(remedy.contains("apns.") && rig.sender.freeSlots == 0)
        rig.clock.pass(59_999)
        #expect(rig.sender.freeSlots == 0)
        rig.clock.pass(1)
        #expect(rig.sender.freeSlots == 1)
        rig.send(5...7)
        #expect(await rig.outcomes(7)[4...] == [unsent, unsent, unsent])
        // 403 speaks of the provider token: the probe then shows it to a new connection.
        let (first, second) = row.status == 403 ? (2, 3) : (1, 1)
        #expect(rig.arrivals == ScenarioRig.each((1...4, [1]), (5...5, [first])), "one probe")
        rig.clock.pass(60_000)
        rig.send(8...8)
        #expect(await rig.outcomes(8).last == .accepted)
        #expect(rig.arrivals == ScenarioRig.each((1...4, [1]), (5...5, [first]), (8...8, [second])))
        #expect(rig.accepted == [1: [1], 8: [second]])
        await rig.event { $0 == .laneResumed }
        #expect(rig.sender.status == .open)
        let opened = row.status == 403 ? ["opened 2 with 1", "opened 3 with 1"] : []
        await rig.end()
        let found = rig.log.map(\.line).sorted()
        #expect(found == (["opened 1 with 1", "minted", "stopped \(row.reason)", "resumed"] + opened).sorted())
    }

    @Test func connection_rests20Minutes_whenTooManyProviderTokenUpdates() async throws {
        let rig = try ScenarioRig { tag, attempt in
            tag == 2 && attempt == 1 ? .answer(status: 429, reason: "TooManyProviderTokenUpdates") : nil
        }
        await rig.prime()
        rig.send(2...2)
        #expect(await rig.outcomes(2).last == .unsent(reason: "TooManyProviderTokenUpdates"))
        rig.clock.pass(1_199_999)
        rig.send(3...3)
        #expect(await rig.outcomes(3).last == .unsent(reason: "resting"))
        rig.clock.pass(1)
        rig.send(4...4)
        #expect(await rig.outcomes(4).last == .accepted)
        #expect(rig.arrivals == [1: [1], 2: [1], 4: [1]] && rig.providerTokens == [1: [1], 2: [1], 4: [1]])
        await rig.expectLog(["opened 1 with 1", "minted", "resting 1"])
    }

    @Test func providerToken_isRefreshedOnce_whenManyPushesDrawExpired() async throws {
        let rig = try ScenarioRig { tag, attempt in
            tag > 1 && attempt == 1 ? .answer(status: 403, reason: "ExpiredProviderToken") : nil
        }
        await rig.prime()
        rig.send(2...20)
        #expect(await rig.outcomes(20) == Array(repeating: .accepted, count: 20))
        #expect(rig.arrivals == ScenarioRig.each((1...1, [1]), (2...20, [1, 2])))
        #expect(rig.providerTokens == rig.arrivals, "each connection has its token")
        await rig.expectLog(["opened 1 with 1", "minted", "opened 2 with 1", "minted"])
    }
}
