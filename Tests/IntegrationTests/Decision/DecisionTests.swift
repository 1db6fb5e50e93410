import APNsSimulator
import LocalPostgres
import Testing
import TestSupport

/// What the rules allow is asked of the decision service, and its answer holds (docs/DECISION.md).
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct DecisionTests {
    typealias S = DecisionScene

    @Test func checkIn_whenTheServiceGivesAText_goesWithIt() async throws {
        let long = String(repeating: "ü", count: 1200)
        let scene = try await DecisionScene(2) { request in
            let isFirst = String(decoding: request.body, as: UTF8.self).contains(Scene.user(1))
            let (title, body) = isFirst ? (", \"title\": \"T\"", S.answerText) : ("", long)
            return S.answer(true, "\(title), \"body\": \"\(body)\"")
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
