import JSON
import LocalPostgres
import TestSupport
import Testing

/// `nudged_api.preview`, answered by a running daemon.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct PreviewCallTests {
    typealias S = DecisionScene

    private func ask(_ scene: Scene, _ user: Int, _ body: String = S.text) throws -> String {
        try scene.sql("select nudged_api.preview('\(Scene.user(user))', 'Ann', '\(body)')")
    }

    /// The answer and how long it took.
    private func answer(_ scene: Scene, _ user: Int, _ body: String = S.text) async throws -> (JSONValue, Duration) {
        let start = ContinuousClock.now
        var text = ""
        _ = try await eventually(within: .seconds(60)) {
            text = try ask(scene, user, body)
            return !text.isEmpty
        }
        return (try JSONValue(parsing: text), ContinuousClock.now - start)
    }

    /// Nothing is sent or counted, and what it says then happens. Users 1 and 2 consent, 3 does not.
    @Test func preview_whenADaemonRuns_saysWhatThenHappens() async throws {
        let scene = try await S.withoutCheckIns(3) { request in
            // Of user 2 it wants nothing to be sent.
            let isSecond = String(decoding: request.body, as: UTF8.self).contains(Scene.user(2))
            return S.answer(!isSecond, ", \"body\": \"\(S.answerText)\"")
        }
        try scene.changePreferences("- 'smart_enabled'", where: "user_id = '\(Scene.user(3))'")
        let daemon = try scene.scene.start(["run"], scene.environment())
        try await scene.wait(daemon, for: "count(owner) = 64 from nudged.range")
        try await scene.wait(daemon, for: "count(evaluated_at) = 3 from nudged.person")
        let before = try scene.lines("select user_id, version, state, analysed from nudged.person order by 1")
        var said: [JSONValue] = []
        var times: [Duration] = []
        for user in 1...3 {
            let (answer, time) = try await answer(scene.scene, user)
            times.append(time)
            said.append(answer)
        }
        // A second, on a machine that has other work. One of them may be late.
        #expect(times.sorted()[1] < .seconds(3), "\(times)")
        #expect(said.map { $0["would_notify"] } == [.bool(true), .bool(false), .bool(true)])
        #expect(said.map { $0["by"] } == [.string("service"), .string("service"), .string("policy")])
        #expect(said.map { $0["priority"] } == [.string("high"), .string("high"), .string("medium")])
        #expect(said.map { $0["body"] } == [.string(S.answerText), .null, .string(S.text)])
        #expect(try scene.questions().count == 2, "nothing about the user who does not consent")
        #expect(scene.scene.accepted().isEmpty)
        #expect(try scene.lines("select user_id, version, state, analysed from nudged.person order by 1") == before)
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")

        for user in 1...3 { try scene.send(user) }
        try await scene.wait(daemon, for: "count(*) = 3 from nudged.delivery")
        let outcomes = "select outcome, reason from nudged.delivery order by user_id"
        try scene.expect(outcomes, ["accepted|", "dropped|declined", "accepted|"])
        let bodies = try scene.bodies()
        #expect(bodies.count == 2 && bodies.contains(.string(S.answerText)) && bodies.contains(.string(S.text)))
        try await scene.scene.stop(daemon)
    }

    /// A user chooses their previews' texts. What the service makes of them must not end its use for everyone.
    @Test func preview_whenTheServiceFailsForIt_leavesTheServiceInUse() async throws {
        let scene = try await S.withoutCheckIns(2) { request in
            String(decoding: request.body, as: UTF8.self).contains("break")
                ? HTTPSAct.answer(500) : S.answer(true, ", \"body\": \"\(S.answerText)\"")
        }
        let daemon = try scene.scene.start(["run"], scene.environment())
        try await scene.wait(daemon, for: "count(owner) = 64 from nudged.range")
        for _ in 0..<10 {
            let (said, _) = try await answer(scene.scene, 1, "break")
            #expect(said["by"] != .string("service"), "\(said)")
        }
        #expect(try scene.questions().count == 10)
        try scene.send(2)
        try await scene.wait(daemon, for: "count(*) = 1 from nudged.delivery")
        #expect(try scene.bodies() == [.string(S.answerText)])
        try await scene.scene.stop(daemon)
    }
}
