import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Tokens that name the wrong environment, between a simulated sandbox and a simulated production.
@Suite(.ownThreads) struct EnvironmentTests {
    /// Sandbox is the main lane, production the other one, of the same app.
    fileprivate struct TwoEnvironments {
        let scene: Scene
        let production: SecondApple

        /// - Parameters:
        ///   - sandboxOnly: users whose token production refuses.
        ///   - productionOnly: users whose token the sandbox refuses.
        ///   - broken: users whose token both refuse.
        ///   - refusesKey: whether production refuses the key with the first push of each device.
        init(
            sandboxOnly: Set<Int> = [],
            productionOnly: Set<Int> = [],
            broken: Set<Int> = [],
            refusesKey: Bool = false
        ) async throws {
            @Sendable func answer(_ refused: Set<Int>, _ token: String) -> ScriptedAnswer? {
                let isRefused = refused.union(broken).contains { Scene.token($0) == token }
                return isRefused ? .answer(status: 400, reason: "BadDeviceToken") : nil
            }
            scene = try await Scene(perDevice: { token, _ in answer(productionOnly, token) })
            production = try SecondApple(scene) { token, attempt in
                refusesKey && attempt == 1
                    ? .answer(status: 403, reason: "InvalidProviderToken") : answer(sandboxOnly, token)
            }
        }

        func once() async throws -> Scene.Run {
            try await scene.nudged(["run", "--once", "--json", "--config", production.path], within: .seconds(90))
        }

        /// A daemon that sweeps ten times a second.
        func start() throws -> ChildProcess {
            try scene.startFast(with: "--config", production.path)
        }

        /// Requests of both: production's and the sandbox's.
        var requests: [Int] { [production.simulator.counts.requests, scene.simulator.counts.requests] }

        /// Messages only, at any hour, with every token registered for one environment.
        func seed(_ users: Int, environment: String = "production") throws {
            try scene.seedDue(users)
            try scene.setPreferences(#"{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}"#)
            try scene.sql("update public.push_tokens set environment = '\(environment)'")
        }
    }

    @Test(arguments: [("production", "sandbox"), ("sandbox", "production")])
    func token_whenOfTheOtherEnvironment_costsOnePushOnce(said: String, right: String) async throws {
        let both =
            said == "production"
            ? try await TwoEnvironments(sandboxOnly: [1, 2], broken: [3])
            : try await TwoEnvironments(productionOnly: [1, 2], broken: [3])
        /// Requests of the environment that the app said, and of the other one.
        func requests() -> [Int] { said == "production" ? both.requests : both.requests.reversed() }
        try both.seed(10, environment: said)
        try both.scene.send(to: 1...10)
        let run = try await both.once().ends(0, ["sent": 9, "rejected": 1])
        #expect(requests() == [10, 3])
        #expect(run.errors.occurrences(of: "device_moved") == 2, "\(run.text)")
        #expect(run.errors.occurrences(of: "device_quarantined") == 1, "\(run.text)")
        try both.scene.expect("select user_id, environment from nudged.quarantined", ["\(Scene.user(3))|\(said)"])
        // Remembered where people look for it, and the registration stays as old as it is.
        try both.scene.expect(
            "select user_id from public.push_tokens where environment = '\(right)' and updated_at = '2026-01-01' order by 1",
            [Scene.user(1), Scene.user(2)]
        )

        // The app says the same again, with a new registration, and the daemon is another process.
        try both.scene.sql(
            "update public.push_tokens set environment = '\(said)', updated_at = now() where user_id <= '\(Scene.user(2))'"
        )
        try both.scene.send(to: 1...2)
        #expect(try await both.once().number("sent") == 2)
        #expect(requests() == [10, 5])
    }

    /// The daemon dies after Apple's answer of the sandbox, before it is recorded.
    @Test func sandboxToken_whenTheDaemonDiesInBetween_isNotTriedInProductionAgain() async throws {
        let both = try await TwoEnvironments(sandboxOnly: [1])
        try both.seed(1)
        // Production's refusal is recorded as it is by a daemon that lives.
        try both.scene.sql(
            """
            insert into nudged.person (user_id, due_at, quarantine)
            select user_id, '2030-01-01', jsonb_build_array(jsonb_build_object(
                'device', left(encode(sha256(convert_to(device_token, 'UTF8')), 'hex'), 16), 'environment', 'production',
                'topic', '\(Scene.topic)', 'registered_at', (extract(epoch from updated_at) * 1000000)::bigint,
                'at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'reason', 'BadDeviceToken',
                'state', 'suspected'))
            from public.push_tokens
            """
        )
        try both.scene.send(to: 1...1)
        let dead = try await both.scene.nudged(
            ["run", "--once", "--json", "--config", both.production.path],
            ["NUDGED_FAIL_POINT": "before_settle:kill"]
        )
        #expect(dead.exit != .code(0))
        try both.scene.expireLeases()
        try await both.once().ends()
        #expect(both.requests[0] == 0 && both.requests[1] == 2, "a message without an answer is repeated once, there")
        let states = "select quarantine #>> '{0,state}' from nudged.person"
        #expect(try both.scene.sql(states) == "moved")
    }
}

@Suite(.ownThreads) struct EnvironmentLongTests {
    /// Two daemons share the users. Each user has one push too many, from either daemon.
    @Test func sandboxTokens_whenTwoDaemonsWork_costOnePushEach() async throws {
        let users = 40
        let both = try await EnvironmentTests.TwoEnvironments(sandboxOnly: Set(1...users))
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
        let both = try await EnvironmentTests.TwoEnvironments(sandboxOnly: [], broken: Set(1...users))
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
        let both = try await EnvironmentTests.TwoEnvironments(broken: [1], refusesKey: true)
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
