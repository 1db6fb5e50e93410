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
        let requests: Int
        let isDeleted: Bool
        /// What the log says of it, once; `USER` stands for the user.
        let line: String?

        init(_ text: String) throws {
            let parts = text.split(separator: " | ").map(String.init)
            let words = parts[0].split(separator: " ", maxSplits: 2).map(String.init)
            let isRaw = words[0] == "raw"
            let status = try #require(Int(words[isRaw ? 1 : 0]), "\(text)")
            let large = String(repeating: "x", count: 1 << 20)
            let body = words.count > 2 ? words[2].replacing("<large>", with: large) : ""
            let usual = status == 200 ? ScriptedAnswer.accept : .answer(status: status, reason: words.last ?? "")
            answer = isRaw ? .rawBody(status: status, bytes: Array(body.utf8)) : usual
            record = parts[1]
            let isKnown = parts.dropFirst(2).allSatisfy { ["twice", "deleted"].contains($0) || $0.hasPrefix("says ") }
            #expect(isKnown, "\(text)")
            (requests, isDeleted) = (parts.contains("twice") ? 2 : 1, parts.contains("deleted"))
            line = parts.first { $0.hasPrefix("says ") }.map { String($0.dropFirst("says ".count)) }
        }
    }

    @Test func record_tokensLinesAndRequests_areTheRows() async throws {
        let rows = try Checkout.reference("answer-table").map(Row.init)
        #expect(rows.count == 34 && rows.count { $0.line != nil } == 17)
        let scene = try await Scene(perDevice: { token, attempt in
            // Once: what is sent again is then accepted.
            attempt == 1 ? rows.indices.first { Scene.token($0 + 1) == token }.map { rows[$0].answer } : nil
        })
        let good = 150
        try scene.seedDue(rows.count + good, registered: "2026-01-01")
        let deleted = rows.indices.filter { rows[$0].isDeleted }.map { "'\(Scene.user($0 + 1))'" }
        let tokens = "public.push_tokens t where user_id not in (\(deleted.joined(separator: ",")))"
        let kept = "select md5(string_agg(t::text, ',' order by user_id)) from \(tokens)"
        let before = try scene.sql(kept)
        let clock = ContinuousClock()
        let start = clock.now
        let run = try await scene.once()
        let tenSeconds = Int((clock.now - start) / .seconds(10))
        #expect(run.exit == .code(0), "\(run.text)")
        let received = scene.simulator.received
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
