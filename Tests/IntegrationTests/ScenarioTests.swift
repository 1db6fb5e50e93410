import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The scenarios that leave something in the database. 5, 6, 7 and 19 are in `Tests/Reference/Scenes`, 12
/// (SIGTERM drains) is ServiceTests', 8 AnswerTableTests'.
@Suite(.ownThreads) struct ScenarioTests {
    private func received(_ scene: Scene) -> [String: Int] {
        Dictionary(scene.simulator.snapshot().received.map { ($0.token, 1) }, uniquingKeysWith: +)
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
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0" && scene.simulator.counts.requests == 1)
        try scene.rewind()
        try await once(4_070 - frame).ends(0, ["sent": 1])
        try scene.expect("select user_id, outcome, status, reason from nudged.delivery", "\(Scene.user(1))|accepted|200|")
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
}
