import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// What `nudged explain`, `forecast` and `send-test` do besides their output, which `TranscriptTests` has.
@Suite(.ownThreads) struct AskingTests {
    @Test func explainAndForecast_writeNothing_andFitTheScreen() async throws {
        let scene = try await Scene()
        try scene.seedDue(20, devices: 2)
        let plain = try await scene.nudged(["explain", Scene.user(1)])
        #expect(plain.exit == .code(0) && !plain.output.contains("c0ffee"), "\(plain.text)")
        let wide = plain.output.split(separator: "\n").filter { $0.dropFirst(80).contains(" ") }
        #expect(wide == [], "\(plain.output)")
        try await scene.nudged(["forecast", "--hours", "2", "--json"]).ends(0, ["pushes": 40, "nudges": 20])
        let later = try await scene.nudged(["forecast", "--hours", "30"])
        #expect(later.output.contains(" for 30 h: 80 pushes; 20 users are due") && later.errors == "", "\(later.text)")
        #expect(try scene.sql("select count(*) from nudged.person where evaluated_at is not null") == "0")
    }

    @Test func sendTest_sendsItsText_andLeavesNoTrace() async throws {
        let scene = try await Scene(perDevice: { token, _ in
            token.hasSuffix("2") ? .unregistered(timestamp: nil) : nil
        })
        try scene.seedDue(1, devices: 3)
        let taken = try await scene.nudged(["send-test", "--token", Scene.token(5)])
        #expect(taken.exit == .code(0) && !taken.output.contains("c0ffee"), "\(taken.text)")
        let own = ["--title", "Ann", "--body", "Can you see this?"]
        #expect(try await scene.nudged(["send-test", "--token", Scene.token(5)] + own).exit == .code(0))
        let alerts = try scene.simulator.snapshot().accepted.map { try JSONValue(parsing: $0.payload)["aps"]?["alert"] }
        #expect(alerts.map { $0?["title"] } == [.string("nudged"), .string("Ann")])
        #expect(alerts.last??["body"] == .string("Can you see this?"))
        let all = try await scene.nudged(["send-test", "--user", Scene.user(1)])
        #expect(all.exit == .code(65) && all.output.split(separator: "\n").count == 3, "\(all.text)")
        #expect(try scene.sql("select count(*) from public.push_tokens") == "3")
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
    }

    /// Of a token alone nobody knows the environment.
    @Test func sendTest_whenTheTokenIsOfTheOtherEnvironment_triesIt() async throws {
        let scene = try await Scene(perDevice: { token, attempt in
            token.hasSuffix("f") || attempt == 1 ? .answer(status: 400, reason: "BadDeviceToken") : nil
        })
        let file = scene.write("apns:\n  apps:\n    - environment: production\n", to: "both.yaml")
        func test(_ token: String, _ force: [String]) async throws -> Scene.Run {
            try await scene.nudged(["send-test", "--config", file, "--token", token] + force)
        }
        try await test(Scene.token(1), ["--force"]).ends(0, output: "production")
        let unforced = try await test(Scene.token(3), [])
        #expect(unforced.exit == .code(65) && !unforced.output.contains("production)"), "\(unforced.text)")
        let unknown = try await test(Scene.token(2, 15), ["--force"])
        #expect(unknown.exit == .code(65) && unknown.output.split(separator: "\n").count == 2, "\(unknown.text)")
    }
}
