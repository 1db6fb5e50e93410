import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Sandbox is the main lane, production the other one, of the same app.
private struct TwoEnvironments {
    let scene: Scene
    let production: SecondApple

    /// - Parameters:
    ///   - sandboxOnly: users whose token production refuses.
    ///   - broken: users whose token both refuse.
    ///   - refusesKey: whether production refuses the key with the first push of each device.
    init(sandboxOnly: Set<Int> = [], broken: Set<Int> = [], refusesKey: Bool = false) async throws {
        @Sendable func answer(_ refused: Set<Int>, _ token: String) -> ScriptedAnswer? {
            let isRefused = refused.union(broken).contains { Scene.token($0) == token }
            return isRefused ? .answer(status: 400, reason: "BadDeviceToken") : nil
        }
        scene = try await Scene(perDevice: { token, _ in answer([], token) })
        production = try SecondApple(scene) { token, attempt in
            refusesKey && attempt == 1
                ? .answer(status: 403, reason: "InvalidProviderToken") : answer(sandboxOnly, token)
        }
    }

    /// A daemon that sweeps ten times a second.
    func start() throws -> ChildProcess { try scene.startFast(with: "--config", production.path) }

    /// Requests of both: production's and the sandbox's.
    var requests: [Int] { [production.simulator.counts.requests, scene.simulator.counts.requests] }

    /// Messages only, at any hour, with every token registered for one environment.
    func seed(_ users: Int, environment: String = "production") throws {
        try scene.seedDue(users)
        try scene.setPreferences(#"{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}"#)
        try scene.sql("update public.push_tokens set environment = '\(environment)'")
    }
}

/// Tokens that name the wrong environment, between a simulated sandbox and a simulated production.
@Suite(.ownThreads) struct EnvironmentLongTests {
    /// Two daemons share the users. Each user has one push too many, from either daemon.
    @Test func sandboxTokens_whenTwoDaemonsWork_costOnePushEach() async throws {
        let users = 40
        let both = try await TwoEnvironments(sandboxOnly: Set(1...users))
        try both.seed(users)
        let daemons = try (0..<2).map { _ in try both.start() }
        try await both.scene.wait(for: "count(distinct owner) = 2 from nudged.range", of: daemons[0])
        try both.scene.send(to: 1...users)
        func accepted(_ count: Int) -> String { "count(*) = \(count) from nudged.delivery where outcome = 'accepted'" }
        try await both.scene.wait(for: accepted(users), of: daemons[0])
        try both.scene.send(to: 1...users)
        try await both.scene.wait(for: accepted(2 * users), of: daemons[0])
        #expect(both.requests == [users, 2 * users])
        for daemon in daemons { try await both.scene.stop(daemon) }
    }

    /// Most of production's answers are refusals: the lane stops and blames no device. Each device is tried once in
    /// the sandbox, whose lane goes on.
    @Test func lane_whenMostTokensAreBrokenEverywhere_stopsAndBlamesNobody() async throws {
        let users = 150
        let both = try await TwoEnvironments(broken: Set(1...users))
        try both.seed(users)
        try both.scene.send(to: 1...users)
        let daemon = try both.start()
        let areTried = "count(*) >= 100 from nudged.person where quarantine @> '[{\"state\": \"tried\"}]'"
        try await both.scene.wait(for: areTried, of: daemon)
        daemon.signal(SIGTERM)
        let run = try await both.scene.finish(daemon)
        #expect(run.errors.contains("lane_stopped") && !run.errors.contains("device_quarantined"), "\(run.text)")
        #expect(try both.scene.sql("select count(*) from nudged.quarantined") == "0" && both.requests[1] <= users)
    }

    /// Production refuses the key, and only a token that the sandbox has refused waits for it. When the key is accepted
    /// again, the token is refused there, too: the lane resumes all the same, and nothing is left.
    @Test func lane_whenStoppedWithOnlyATrialWaiting_resumes() async throws {
        let both = try await TwoEnvironments(broken: [1], refusesKey: true)
        try both.seed(1, environment: "sandbox")
        try both.scene.send(to: 1...1)
        let daemon = try both.start()
        #expect(await eventually { daemon.errorOutput.contains("lane_stopped") })
        #expect(await eventually(within: .seconds(150)) { daemon.errorOutput.contains("lane_resumed") })
        try await both.scene.wait(for: "count(*) = 0 from nudged.message", of: daemon)
        #expect(try both.scene.sql("select outcome from nudged.delivery where outcome <> 'deferred'") == "rejected")
        #expect(both.requests == [2, 1])
        try await both.scene.stop(daemon)
    }
}
