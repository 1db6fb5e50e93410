import APNsSimulator
import Glibc
import TestSupport
import Testing

/// Each row of the table of answers by what it leaves: the record, the tokens, the lines and how often was asked. Missing here: the answers
/// that stop the lane, the two of quarantine, and when a 410 counts (`Tests/Reference/Scenes`).
@Suite(.ownThreads) struct AnswerTableTests {
    private struct Row {
        let answer: ScriptedAnswer
        /// `outcome|status|reason` of the only record.
        let record: String
        var requests = 1
        var isDeleted = false
        /// What the log says of it, once; `USER` stands for the user.
        var line: String?
    }

    private static func rejected(_ status: Int, _ reason: String) -> Row {
        Row(
            answer: .answer(status: status, reason: reason),
            record: "rejected|\(status)|\(reason)",
            line: "Apple refused a push to user USER: \(reason)"
        )
    }

    private static func deferred(_ status: Int, _ reason: String) -> Row {
        Row(answer: .answer(status: status, reason: reason), record: "deferred|\(status)|\(reason)")
    }

    private static func resent(_ status: Int, _ reason: String) -> Row {
        Row(answer: .answer(status: status, reason: reason), record: "accepted|200|", requests: 2)
    }

    /// Scenario 8: a body that is none; the status' class alone counts.
    private static func garbled(_ status: Int, _ text: String, _ outcome: String = "rejected") -> Row {
        Row(answer: .rawBody(status: status, bytes: Array(text.utf8)), record: "\(outcome)|\(status)|status_\(status)")
    }

    private static let gone = Row(
        answer: .unregistered(timestamp: nil),
        record: "rejected|410|Unregistered",
        isDeleted: true,
        line: "Apple refused a push to user USER: Unregistered"
    )

    private static let rows: [Row] =
        [
            Row(answer: .accept, record: "accepted|200|"), gone,
            Row(
                answer: .answer(status: 410, reason: "ExpiredToken"),
                record: "rejected|410|ExpiredToken",
                isDeleted: true
            ),
            resent(403, "ExpiredProviderToken"), resent(403, "UnrelatedKeyIdInToken"), resent(400, "IdleTimeout"),
            deferred(429, "TooManyRequests"), deferred(500, "InternalServerError"),
            deferred(503, "ServiceUnavailable"), deferred(503, "Shutdown"),
            rejected(413, "PayloadTooLarge"), rejected(400, "NeverHeardOf"), rejected(403, "NeverHeardOf"),
            rejected(410, "BadTopic"), rejected(404, "BadDeviceToken"),
            garbled(410, ""), garbled(410, "<html>Unregistered</html>"), garbled(410, "{\"reason\":\"Unregistered\""),
            garbled(410, "{\"reason\":\"Unregistered\",\"timestamp\":\"1\"}"), garbled(410, "{\"reason\":410}"),
            garbled(410, "{\"reason\":\"Unregistered\",\"x\":\"" + String(repeating: "x", count: 1 << 20) + "\"}"),
            garbled(418, ""), garbled(502, "<html>", "deferred"),
        ]
        + [
            "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "InvalidPushType",
            "MissingDeviceToken", "PayloadEmpty",
        ].map { rejected(400, $0) }
        + [(400, "DuplicateHeaders"), (400, "MissingTopic"), (404, "BadPath"), (405, "MethodNotAllowed")].map {
            Row(
                answer: .answer(status: $0.0, reason: $0.1),
                record: "rejected|\($0.0)|\($0.1)",
                line: "Apple refused a push because of a bug in nudged: \($0.0) \($0.1)"
            )
        }

    @Test func record_tokensLinesAndRequests_areTheRows() async throws {
        let rows = Self.rows
        let scene = try await Scene(perDevice: { token, attempt in
            // Once: what is sent again is then accepted.
            attempt == 1 ? rows.indices.first { Scene.token($0 + 1) == token }.map { rows[$0].answer } : nil
        })
        let good = 150
        try scene.seedDue(rows.count + good, registered: "2026-01-01")
        let deleted = rows.indices.filter { rows[$0].isDeleted }.map { "'\(Scene.user($0 + 1))'" }.joined(
            separator: ","
        )
        let kept =
            "select md5(string_agg(t::text, ',' order by user_id)) from public.push_tokens t where user_id not in (\(deleted))"
        let before = try scene.sql(kept)
        let clock = ContinuousClock()
        let start = clock.now
        let run = try await scene.once()
        let tenSeconds = Int((clock.now - start) / .seconds(10))
        #expect(run.exit == .code(0), "\(run.text)")
        let received = Dictionary(scene.simulator.snapshot().received.map { ($0.token, 1) }, uniquingKeysWith: +)
        let records = try scene.lines(
            "select user_id || ' ' || outcome || '|' || coalesce(status::text, '') || '|' || coalesce(reason, '') from nudged.delivery"
        )
        let left = Set(try scene.lines("select user_id from public.push_tokens"))
        for (index, row) in rows.enumerated() {
            let user = Scene.user(index + 1)
            #expect(records.filter { $0.hasPrefix(user) } == ["\(user) \(row.record)"], "\(row.answer)")
            #expect(received[Scene.token(index + 1)] == row.requests, "\(row.answer)")
            #expect(left.contains(user) != row.isDeleted, "\(row.answer)")
            guard let line = row.line?.split(separator: "USER", omittingEmptySubsequences: false) else { continue }
            #expect(run.errors.occurrences(of: line.joined(separator: user)) == 1, "\(row.answer)")
        }
        #expect(records.count == rows.count + good && left.count == rows.count + good - 2)
        #expect(try scene.sql(kept) == before)
        #expect(received.count == rows.count + good && received.values.reduce(0, +) == rows.count + good + 3)
        #expect(run.number("sent") == good + 4 && run.number("tokens_deleted") == 2, "\(run.output)")
        // A slot whose every device was refused is closed; one that was put off is tried again.
        let rejected = rows.count { $0.record.hasPrefix("rejected") }
        let deferred = rows.count { $0.record.hasPrefix("deferred") }
        #expect(try scene.states().values.count { !$0.history.closed.isEmpty } == rejected)
        #expect(try scene.sql("select count(*) from nudged.person where retry is not null") == "\(deferred)")
        #expect((1...1 + tenSeconds).contains(run.errors.occurrences(of: "sending slows down")), "\(run.text)")
        #expect(run.errors.occurrences(of: "sending is stopped") == 0)
    }

    @Test func tokens_whenTheProviderTokenIsRefreshedTooOften_stay() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 429, reason: "TooManyProviderTokenUpdates") })
        try scene.seedDue(20)
        let process = try scene.start(["run", "--once", "--json"])
        #expect(await scene.simulator.wait { $0.requests > 0 })
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(run.errors.occurrences(of: "sends nothing for 20 minutes") == 1, "\(run.text)")
        #expect(scene.simulator.snapshot().received.count == 1)
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
        #expect(try scene.sql("select count(*) from public.push_tokens") == "20")
        #expect(try scene.states().values.allSatisfy { $0.history == .init() })
    }
}
