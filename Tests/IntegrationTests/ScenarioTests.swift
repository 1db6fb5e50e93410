import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The scenarios that leave something in the database. 12 (SIGTERM drains) is ServiceTests', 7 is AnswerTests', 8 AnswerTableTests'.
@Suite(.ownThreads) struct ScenarioTests {
    private func records(_ scene: Scene) throws -> [String] {
        try scene.lines(
            "select user_id || ' ' || outcome || '|' || coalesce(status::text, '') || '|' || coalesce(reason, '') from nudged.delivery order by user_id, attempted_at, device_hash"
        )
    }

    private func received(_ scene: Scene) -> [String: Int] {
        Dictionary(scene.simulator.snapshot().received.map { ($0.token, 1) }, uniquingKeysWith: +)
    }

    /// Scenarios 5 and 6: Apple took it, and its answer never came.
    @Test(arguments: [(ScriptedAnswer.silence, "no_answer_in_time"), (.closeTCP, "connection_lost")])
    func push_whenItsAnswerNeverComes_isRecordedUnknownAndNotSentAgain(
        answer: ScriptedAnswer,
        reason: String
    ) async throws {
        let scene = try await Scene(perDevice: { token, _ in token == Scene.token(2) ? .accepted(then: answer) : nil })
        try scene.seedDue(3)
        let run = try await scene.once(Scene.impatient.merging(["APNS_MAX_IN_FLIGHT": "1"]) { $1 }).ends()
        let found = ["accepted|200|", "unknown||\(reason)", "accepted|200|"]
        #expect(try records(scene) == found.enumerated().map { "\(Scene.user($0 + 1)) \($1)" })
        let line =
            "a check-in to user \(Scene.user(2)) was written, but no answer came (\(reason)); it is not sent again"
        #expect(run.errors.occurrences(of: line) == 1, "\(run.text)")
        try scene.sql("update nudged.person set due_at = now() - interval '1 minute'")
        #expect(try await scene.once().number("sent") == 0)
        #expect(received(scene) == [Scene.token(1): 1, Scene.token(2): 1, Scene.token(3): 1])
        #expect(scene.accepted() == received(scene))
        #expect(try scene.sql("select count(*) from public.push_tokens") == "3")
    }

    /// Scenario 17: a payload of exactly the limit is sent. If it would be a byte longer, the text does not fit, and
    /// nothing is sent or cut.
    @Test func payload_whenAtOrOverTheLimit() async throws {
        let scene = try await Scene()
        try scene.sql("update nudged.template set body = '{x}'")
        try scene.seedDue(1)
        func once(_ bytes: Int) async throws -> Scene.Run {
            try scene.sql(
                "update public.context_profiles set nudge_context = jsonb_build_object('x', repeat('b', \(bytes)))"
            )
            return try await scene.once()
        }
        #expect(try await once(1).number("sent") == 1)
        let frame = (scene.simulator.snapshot().accepted.first?.payload.count ?? 0) - 1
        try scene.rewind()
        try scene.sql("delete from nudged.delivery")
        // 26 bytes are left free, since a message's name is longer than a check-in's.
        try await once(4_071 - frame).ends(0, ["sent": 0])
        #expect(try scene.sql("select reason from nudged.person") == "no_text")
        #expect(try records(scene).isEmpty && scene.simulator.counts.requests == 1)
        try scene.rewind()
        try await once(4_070 - frame).ends(0, ["sent": 1])
        #expect(try records(scene) == ["\(Scene.user(1)) accepted|200|"])
        #expect(scene.simulator.snapshot().accepted.map(\.payload.count) == [frame + 1, 4_070])
        #expect(try scene.sql("select count(*) from public.push_tokens") == "1")
    }

    /// Scenario 18: the storm is said once an interval of ten seconds, what was answered is put off, the rest stays due, nothing is lost.
    @Test func storm_isSaidOnceAnInterval_andTheRestStaysDue() async throws {
        let scene = try await Scene(perDevice: { token, _ in
            token == Scene.token(1) ? nil : .answer(status: 503, reason: "ServiceUnavailable")
        })
        try scene.seedDue(1)
        let process = try scene.startFast()
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try scene.sql("delete from public.push_tokens; delete from public.context_profiles; delete from nudged.person")
        try scene.seedDue(4_000)
        #expect(process.waitForOutput(.seconds(30)) { $0.occurrences(of: "sending slows down") >= 1 })
        let clock = ContinuousClock()
        let start = clock.now
        #expect(process.waitForOutput(.seconds(40)) { $0.occurrences(of: "sending slows down") >= 2 })
        let span = clock.now - start
        let before = scene.simulator.counts.requests
        #expect(process.waitForOutput(.seconds(40)) { $0.occurrences(of: "sending slows down") >= 3 })
        let after = scene.simulator.counts.requests
        #expect(span > .seconds(8), "\(span)")
        // The second interval of ten seconds has a tenth of the first one's pushes at most.
        #expect((after - before) * 10 <= before, "\(before), then \(after)")
        try await scene.stop(process)
        #expect(received(scene).filter { $0.key != Scene.token(1) }.values.allSatisfy { $0 == 1 })
        let asked = received(scene).count - 1
        try scene.expect(
            "select count(*) from nudged.delivery where outcome = 'deferred' and status = 503 and reason = 'ServiceUnavailable'",
            "\(asked)"
        )
        try scene.expect("select count(*) from nudged.delivery where outcome not in ('accepted', 'deferred')", "0")
        #expect(asked < 4_000)
        #expect(try scene.sql("select count(*) from public.push_tokens") == "4000")
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") == "0")
    }

    /// Scenario 19: 429 for one device of three.
    @Test func device_whenItGotTooMany_waitsAlone() async throws {
        let scene = try await Scene(perDevice: { token, attempt in
            token == Scene.token(2, 1) && attempt == 1 ? .answer(status: 429, reason: "TooManyRequests") : nil
        })
        try scene.seedDue(3, devices: 3)
        let run = try await scene.once().ends(0, ["sent": 8])
        #expect(try records(scene).count { $0.hasSuffix(" accepted|200|") } == 8)
        let deferred = try records(scene).filter { $0.contains("deferred") }
        #expect(deferred == ["\(Scene.user(2)) deferred|429|TooManyRequests"])
        let waiting = "select user_id, jsonb_array_length(retry->'left') from nudged.person where retry is not null"
        try scene.expect(waiting, ["\(Scene.user(2))|1"])
        // Not before a minute is over.
        #expect(try await scene.once().number("sent") == 0)
        try scene.sql(
            """
            update nudged.person set due_at = now() - interval '1 second',
                retry = (select jsonb_set(retry, '{left}', jsonb_agg(l || '{"not_before":"2026-01-01T00:00:00Z"}')) from jsonb_array_elements(retry->'left') l)
            where retry is not null
            """
        )
        #expect(try await scene.once().number("sent") == 1)
        let received = received(scene)
        #expect(received.count == 9 && received[Scene.token(2, 1)] == 2 && received.values.reduce(0, +) == 10)
        #expect(scene.accepted().count == 9 && scene.accepted().values.allSatisfy { $0 == 1 })
        #expect(try scene.sql("select count(*) from public.push_tokens") == "9")
        #expect(run.errors.occurrences(of: "TooManyRequests") == 0, "a device that waits is worth no line")
    }
}
