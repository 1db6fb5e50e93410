import APNsSimulator
import Glibc
import LocalPostgres
import Seeded
import Synchronization
import Testing
import TestSupport

/// Nothing about a user leaves, and no answer counts, unless their preferences say `smart_enabled: true`
/// (docs/DECISION.md, "Consent").
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct ConsentTests {
    typealias S = DecisionScene

    /// An answer that can be told from the nudge's own text.
    private static func answer(_ notify: Bool) -> [HTTPSAct] { S.answer(notify, ", \"body\": \"\(S.answerText)\"") }

    /// - Parameter value: JSON. nil: the key is absent.
    private static func write(_ value: String?, of user: Int, _ scene: DecisionScene) throws {
        let change = value.map { " || '{\"smart_enabled\": \($0)}'" } ?? ""
        try scene.changePreferences("- 'smart_enabled'\(change)", where: "user_id = '\(Scene.user(user))'")
    }

    private static func received(_ scene: DecisionScene) -> String {
        String(decoding: scene.service.seen.now.received, as: UTF8.self)
    }

    /// One question at a time, so that users wait in line while they withdraw.
    ///
    /// At a withdrawal at most one question has passed its check and has not arrived: the next that comes. A question
    /// after that one was checked later. And a message that was sent without consent is over before the user consents.
    @Test(arguments: [1, Seeds.extra])
    func questions_whenConsentFlipsAtRandom_leaveUnderConsentOnly(seed: UInt64) async throws {
        let users = 8
        let answers = Mutex(SplitMix64(seed: seed &+ 1))
        let scene = try await S.withoutCheckIns(
            users,
            preferences:
                ", \"smart_enabled\": false, \"max_analyses_per_hour\": 20, \"fallback_strategy\": \"notify_all\""
        ) { _ in
            let (pause, notify) = answers.withLock { (UInt32($0.int(0...30_000)), $0.chance(60)) }
            usleep(pause)
            return Self.answer(notify)
        }
        let process = try scene.scene.start(["run"], scene.environment(["DECISION_CONCURRENCY": "1"]))
        var random = SplitMix64(seed: seed)
        // For each user without consent: the first question that may not be about them. The last user never consents.
        var closed = Dictionary(uniqueKeysWithValues: (1...users).map { ($0, 0) })
        var without: [(user: Int, questions: Range<Int>)] = []
        var sent = (on: 0, off: [String]())
        for _ in 0..<120 {
            let user = random.int(1...users)
            if random.chance(60) {
                for _ in 0..<random.int(1...3) {
                    let state = closed[user] == nil ? "on" : "off"
                    let id = try scene.scene.send(user, "'Ann', '\(S.text) is \(state)'")
                    if state == "on" { sent.on += 1 } else { sent.off.append(id) }
                }
            } else if user == users {
                continue
            } else if let first = closed.removeValue(forKey: user) {
                let isOver = "not exists (select from nudged.message where user_id = '\(Scene.user(user))')"
                try await scene.wait(process, for: isOver)
                without.append((user, first..<max(first, scene.service.seen.now.requests.count)))
                try Self.write("true", of: user, scene)
            } else {
                try Self.write(random.pick(["false", "\"true\"", "0", nil]), of: user, scene)
                closed[user] = scene.service.seen.now.requests.count + 1
            }
        }
        try await scene.wait(process, for: "not exists (select from nudged.message)")
        process.signal(SIGTERM)
        #expect(try await scene.scene.finish(process).exit == .code(0), "seed \(seed)")

        let questions = try scene.questions()
        for (user, first) in closed { without.append((user, first..<max(first, questions.count))) }
        for (user, places) in without {
            for place in places where questions[place]["user_id"] == .string(Scene.user(user)) {
                Issue.record("seed \(seed): question \(place) is about user \(user), who does not consent")
            }
        }
        #expect(!Self.received(scene).contains("is off"), "seed \(seed)")
        #expect(!Self.received(scene).contains(Scene.user(users)), "seed \(seed)")
        // What was sent without consent arrives with its own text, and nobody else decided about it.
        #expect(try scene.bodies().count { $0 == .string("\(S.text) is off") } == sent.off.count, "seed \(seed)")
        let keys = sent.off.map { "'\($0)'" }.joined(separator: ",")
        let all = "select outcome, decision is null, count(*) from nudged.delivery where key in (\(keys)) group by 1, 2"
        #expect(try scene.lines(all) == ["accepted|t|\(sent.off.count)"], "seed \(seed)")
        #expect(questions.count > 10 && sent.off.count > 10 && sent.on > 10, "seed \(seed): \(questions.count)")
    }
}
