import APNsSimulator
import Core
import Glibc
import JSON
import LocalPostgres
import Policy
import Postgres
import Testing
import TestSupport

/// What the rules allow is asked of the decision service, and its answer holds (docs/DECISION.md).
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct DecisionTests {
    typealias S = DecisionScene

    @Test func checkIn_whenTheServiceIsAgainstIt_isSkippedAndNotAskedAgain() async throws {
        let scene = try await DecisionScene(1) { _ in S.answer(false) }
        try scene.sql("delete from nudged.template")
        try scene.sql("insert into nudged.template (title, body) values ('Hello', 'It is me.')")
        let process = try scene.scene.start(["run"], scene.environment())
        try await scene.wait(process, for: "count(*) = 1 from nudged.delivery")
        // Sweeps, in each of which a due user would be asked again.
        for _ in 0..<10 {
            try scene.sql("insert into nudged.touched (user_id) values (gen_random_uuid())")
            try await scene.wait(process, for: "count(*) = 0 from nudged.touched")
        }
        try await scene.scene.stop(process)
        let question = try #require(try scene.questions().first)
        #expect(try scene.questions().count == 1)
        #expect(question["kind"] == .string("check_in") && question["body"] == .string("It is me."))
        let slot = try scene.sql("select slot from nudged.delivery")
        #expect(question["slot"] == .string(slot))
        #expect(try scene.record() == ["check_in|skipped|declined|service|false|high|because it is so"])
        #expect(try scene.scene.states().values.map { $0.history.closed.map(\.iso) } == [[slot]])
        #expect(try scene.sql("select due_at > now() from nudged.person") == "t")
        #expect(scene.scene.simulator.snapshot().accepted.isEmpty)
    }

    @Test func checkIn_whenTheServiceGivesAText_goesWithIt() async throws {
        let long = String(repeating: "ü", count: 1200)
        let scene = try await DecisionScene(2) { request in
            let isFirst = String(decoding: request.body, as: UTF8.self).contains(Scene.user(1))
            return S.answer(
                true,
                isFirst ? ", \"title\": \"T\", \"body\": \"\(S.answerText)\"" : ", \"body\": \"\(long)\""
            )
        }
        #expect(try await scene.once().number("sent") == 2)
        let bodies = try scene.bodies()
        #expect(bodies.count == 2 && bodies.contains(.string(S.answerText)) && bodies.contains(.string(long)))
        try scene.expectNoText()
    }

    @Test func questions_whenManyAreDue_areBoundedAndConnectionsKept() async throws {
        let scene = try await DecisionScene(60) { _ in S.answer(true) }
        #expect(try await scene.once(["DECISION_CONCURRENCY": "3"]).number("sent") == 60)
        let seen = scene.service.seen.now
        #expect(seen.requests.count == 60 && seen.mostOpen <= 3 && seen.accepted <= 3)
        #expect(scene.scene.accepted().count == 60)
    }

    /// Others go on while answers are awaited, and a user is asked of once.
    @Test func sweep_whenAnAnswerIsAwaited_goesOnWithOthers() async throws {
        let scene = try await S.withoutCheckIns(3) { request in
            let isHeld = String(decoding: request.body, as: UTF8.self).contains(Scene.user(1))
            return (isHeld ? [.hold] : []) + S.answer(true)
        }
        try scene.send(1)
        let process = try scene.scene.start(["run"], scene.environment())
        _ = await scene.service.seen.wait { $0.requests.count == 1 }
        try scene.send(2)
        #expect(await scene.scene.simulator.waitUntil(accepted: 1))
        try scene.send(3)
        #expect(await scene.scene.simulator.waitUntil(accepted: 2))
        #expect(scene.scene.accepted()[Scene.token(1)] == nil)
        scene.service.release()
        #expect(await scene.scene.simulator.waitUntil(accepted: 3))
        try await scene.scene.stop(process)
        #expect(try scene.questions().count == 3)
    }
}
