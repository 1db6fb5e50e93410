import APNsSimulator
import LocalPostgres
import Synchronization
import Testing
import TestSupport

/// The decision service fails in each way: the user's fallback strategy decides, and nothing is lost or sent twice.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct DecisionFailureTests {
    typealias S = DecisionScene

    /// A way to fail, and the text in the record.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case refused, slow, error, redirect, garbage, otherAnswer, wrongName, expired, untrusted, tooLarge, brokenOff,
            noHTTP

        var testDescription: String { rawValue }

        var text: String {
            switch self {
            case .refused, .wrongName, .expired, .untrusted: "the decision service can't be reached"
            case .slow: "the decision service did not answer in time"
            case .error: "the decision service answers with status 500"
            case .redirect: "the decision service answers with status 307"
            case .garbage: "the decision service answers nonsense (wanted a JSON object)"
            case .otherAnswer: "the decision service answers nonsense (should_notify: wanted true or false)"
            case .tooLarge, .brokenOff, .noHTTP: "the decision service's answer can't be read"
            }
        }

        var acts: [HTTPSAct] {
            switch self {
            case .refused, .wrongName, .expired, .untrusted: S.answer(false)
            case .slow: [.hold] + S.answer(false)
            case .error: HTTPSAct.answer(500, "\(S.answerText)")
            case .redirect: HTTPSAct.answer(307, "", fields: "location: https://localhost:1/\r\n")
            case .garbage: HTTPSAct.answer(200, "<html>\(S.answerText)</html>")
            case .otherAnswer:
                HTTPSAct.answer(200, #"{"should_notify": "no", "priority": "high", "reason": "\#(S.answerText)"}"#)
            case .tooLarge: [.send("HTTP/1.1 200 Word\r\ncontent-length: 99999\r\n\r\n"), .fill(99_999)]
            case .brokenOff:
                [.send("HTTP/1.1 200 Word\r\ncontent-length: 200\r\n\r\n{\"should_notify\": false, "), .close]
            case .noHTTP: [.send("planted-path is no HTTP\r\n\r\n"), .close]
            }
        }
    }

    private static let commonWays: [Way] = [.refused, .slow, .error, .garbage]

    @Test(arguments: commonWays) func nudges_whenTheServiceFails_goByTheSimpleRules(way: Way) async throws {
        let scene = try await DecisionScene(
            5,
            names: way == .wrongName ? ["other.example"] : ["localhost", "127.0.0.1"],
            notAfter: way == .expired ? -60 : 86_400
        ) { _ in way.acts }
        // The first has a check-in; the others messages.
        try scene.sql(
            "update public.context_profiles set notification_preferences = '{\"smart_enabled\": true, \"quiet_hours_start\": \"00:00\", \"quiet_hours_end\": \"00:00\", \"priority_keywords\": [\"help\"]}' where user_id <> '\(Scene.user(1))'"
        )
        try scene.send(2)
        try scene.send(3, ", urgent => true")
        try scene.send(4, ", category => 'mention'")
        try scene.sql("select (nudged_api.send('\(Scene.user(5))', 'Help', '\(S.text)')).id")
        if way == .refused { scene.service.stop() }
        let run = try await scene.once([
            "DECISION_TIMEOUT": way == .slow ? "500ms" : "20s",
            "DECISION_CA_FILE": way == .untrusted ? nil : "\(scene.scene.folder)/service-ca.pem",
        ])
        #expect(run.exit == .code(0) && run.number("sent") == 4 && run.number("dropped") == 1, "\(run.text)")
        let grounds = [
            "check_in|accepted|template", "message|dropped|neither urgent nor a mention", "message|accepted|urgent",
            "message|accepted|mention", "message|accepted|urgent",
        ]
        let found = try scene.lines("select kind, outcome, decision->>'reason' from nudged.delivery order by user_id")
        // One of five may have met the open breaker already.
        let resting = "the decision service is left alone for a while"
        for (ground, line) in zip(grounds, found) {
            #expect(line == "\(ground): \(way.text)" || line == "\(ground): \(resting)")
        }
        #expect(found.count == 5 && found.contains { $0.hasSuffix(way.text) })
        #expect(try scene.sql("select count(*) from nudged.delivery where decision->>'by' = 'fallback'") == "5")
        try scene.expectNoText()
    }

    /// A dead service is asked a few times, not for everyone; `status` and the journal say so; it comes back by itself.
    @Test func service_whenItIsDead_isLeftAloneAndComesBack() async throws {
        let isUp = Atomic(false)
        let scene = try await DecisionScene(100) { _ in
            isUp.load(ordering: .relaxed) ? S.answer(true) : HTTPSAct.answer(500)
        }
        let process = try scene.scene.start(["run"], scene.environment())
        #expect(await scene.scene.simulator.waitUntil(accepted: 100))
        #expect(scene.service.seen.now.requests.count < 30)
        let why = "the decision service answers with status 500"
        #expect(process.waitForOutput(.seconds(20)) { $0.contains("decision_fallback") && $0.contains(why) })
        try await scene.wait(process, for: "state->'decision'->>'state' = 'using fallback' from nudged.daemon")
        let status = try await scene.scene.nudged(["status"])
        #expect(status.words.contains("decisions using fallback for "), "\(status.text)")
        #expect(status.words.contains(": the decision service answers with status 500"), "\(status.text)")
        isUp.store(true, ordering: .relaxed)
        // Somebody must be sent something for it to be asked.
        var sent = 0
        let isBack = try await eventually {
            sent += 1
            try scene.send(1 + sent % 100, ", urgent => true")
            return process.errorOutput.contains("decision_back") || process.output.contains("decision_back")
        }
        #expect(isBack)
        try await scene.wait(process, for: "state->'decision'->>'state' = 'active' from nudged.daemon")
        let json = try await scene.scene.nudged(["status", "--json"])
        let active = [#""decision":{"state": "active""#, #""state":"active""#]
        #expect(active.contains { json.output.contains($0) }, "\(json.text)")
        try await scene.scene.stop(process)
    }

    /// The limit is the user's, over all daemons and restarts.
    @Test func service_whenTwoDaemonsRunAndRestart_isAskedNoMoreThanTheUserAllows() async throws {
        let scene = try await S.withoutCheckIns(
            3,
            preferences: ", \"max_analyses_per_hour\": 5, \"fallback_strategy\": \"notify_all\""
        ) { _ in S.answer(true) }
        for round in 0..<2 {
            let both = try (0..<2).map { _ in try scene.scene.start(["run"], scene.environment()) }
            for message in 0..<5 {
                for user in 1...3 { try scene.send(user) }
                #expect(await scene.scene.simulator.waitUntil(accepted: (round * 5 + message + 1) * 3))
            }
            try await scene.scene.stop(both)
        }
        #expect(try scene.questions().count == 15)
        try scene.expect(
            "select decision->>'by', decision->>'reason', count(*) from nudged.delivery group by 1, 2 order by 1",
            ["fallback|notify_all: the user's analyses an hour are used up|15", "service|because it is so|15"]
        )
        // An hour later they may be asked again.
        let anHourAgo = "array(select a - interval '1 hour 1 second' from unnest(analysed) a)"
        try scene.sql("update nudged.person set analysed = \(anHourAgo)")
        try scene.send(1)
        #expect(try await scene.once().number("sent") == 1)
        #expect(try scene.questions().count == 16)
        #expect(try scene.sql("select max(cardinality(analysed)) from nudged.person") == "5")
    }

    /// A stop waits for no answer of the service. A later sweep asks again for the users without one.
    @Test func daemon_whenItIsStoppedWithQuestionsOutstanding_endsAtOnceAndSendsNothing() async throws {
        let scene = try await DecisionScene(20) { _ in [.hold] + S.answer(true) }
        let process = try scene.scene.start(["run"], scene.environment(["DECISION_CONCURRENCY": "4"]))
        _ = await scene.service.seen.wait { $0.requests.count == 4 }
        let asked = ContinuousClock.now
        try await scene.scene.stop(process)
        #expect(ContinuousClock.now - asked < .seconds(10))
        #expect(scene.scene.simulator.snapshot().accepted.isEmpty)
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
        #expect(try scene.sql("select count(*) from nudged.person where due_at <= now()") == "20")
        scene.service.release()
        #expect(try await scene.once().number("sent") == 20)
        #expect(scene.scene.accepted().values.allSatisfy { $0 == 1 })
    }

    @Suite struct LongTests {
        @Test(arguments: Way.allCases.filter { !commonWays.contains($0) })
        func nudges_whenTheServiceFails_goByTheSimpleRules(way: Way) async throws {
            try await DecisionFailureTests().nudges_whenTheServiceFails_goByTheSimpleRules(way: way)
        }
    }
}
