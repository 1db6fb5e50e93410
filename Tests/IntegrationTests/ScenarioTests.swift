import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// The scenarios that leave something in the database. 5, 6, 7, 17 and 19 are in `Tests/Reference/Scenes`, 12
/// (SIGTERM drains) is ServiceTests', 8 AnswerTableTests'.
@Suite(.ownThreads) struct ScenarioTests {
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
        let received = scene.simulator.received
        #expect(received.filter { $0.key != Scene.token(1) }.values.allSatisfy { $0 == 1 })
        let asked = received.count - 1
        let deferred = "outcome = 'deferred' and status = 503 and reason = 'ServiceUnavailable'"
        try scene.expect("select count(*) from nudged.delivery where \(deferred)", "\(asked)")
        try scene.expect("select count(*) from nudged.delivery where outcome not in ('accepted', 'deferred')", "0")
        #expect(asked < 4_000)
        #expect(try scene.sql("select count(*) from public.push_tokens") == "4000")
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") == "0")
    }
}
