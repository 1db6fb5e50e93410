import APNsSimulator
import Glibc
import TestSupport
import Testing

/// What each of Apple's answers does to the tokens: 410 deletes, conditionally; nothing else does.
@Suite(.ownThreads) struct AnswerTests {
    private static let registered = "2026-01-01"
    /// 2026-01-01T00:00:00Z in milliseconds.
    private static let instant: Int64 = 1_767_225_600_000

    @Test func tokens_whenApplesAnswerIs410_goOnlyWhereTheRegistrationIsOlder() async throws {
        let answers: [ScriptedAnswer] = [
            .unregistered(timestamp: Self.instant + 1), .unregistered(timestamp: Self.instant),
            .unregistered(timestamp: Self.instant - 1), .unregistered(timestamp: nil),
            .answer(status: 410, reason: "ExpiredToken", timestamp: Self.instant + 86_400_000),
            .answer(status: 410, reason: "ExpiredToken", timestamp: Self.instant - 86_400_000),
        ]
        let scene = try await Scene(perDevice: { token, _ in
            (1...6).first { Scene.token($0) == token }.map { answers[$0 - 1] }
        })
        try scene.seedDue(8, registered: "\(Self.registered) 00:00Z")
        let run = try await scene.once()
        #expect(run.exit == .code(0), "\(run.text)")
        let gone = try (1...8).filter {
            try scene.sql("select count(*) from public.push_tokens where user_id = '\(Scene.user($0))'") == "0"
        }
        #expect(gone == [1, 4, 5])
        #expect(run.number("tokens_deleted") == 3 && run.number("sent") == 2)
        #expect(
            try scene.sql("select count(*) from nudged.delivery where outcome = 'rejected' and status = 410") == "6"
        )
    }

    /// Answers that end or delay this push. The lane goes on. A hundred good devices close the window of refusals.
    @Test func tokens_whenApplesAnswerIsAnythingElse_stay() async throws {
        let answers: [ScriptedAnswer] = [
            .answer(status: 400, reason: "BadDeviceToken"), .answer(status: 400, reason: "DeviceTokenNotForTopic"),
            .answer(status: 400, reason: "BadCollapseId"), .answer(status: 400, reason: "BadExpirationDate"),
            .answer(status: 400, reason: "BadMessageId"), .answer(status: 400, reason: "BadPriority"),
            .answer(status: 400, reason: "InvalidPushType"), .answer(status: 400, reason: "MissingDeviceToken"),
            .answer(status: 400, reason: "PayloadEmpty"), .answer(status: 413, reason: "PayloadTooLarge"),
            .answer(status: 400, reason: "DuplicateHeaders"), .answer(status: 400, reason: "MissingTopic"),
            .answer(status: 404, reason: "BadPath"), .answer(status: 405, reason: "MethodNotAllowed"),
            .answer(status: 429, reason: "TooManyRequests"), .answer(status: 400, reason: "IdleTimeout"),
            .answer(status: 403, reason: "ExpiredProviderToken"), .answer(status: 403, reason: "UnrelatedKeyIdInToken"),
            .answer(status: 500, reason: "InternalServerError"), .answer(status: 503, reason: "ServiceUnavailable"),
            .answer(status: 503, reason: "Shutdown"), .rawBody(status: 404, bytes: Array("<html>".utf8)),
            .rawBody(status: 418, bytes: []), .answer(status: 400, reason: "NeverHeardOf"),
            .rawBody(status: 502, bytes: [0xFF]),
            .answer(status: 410, reason: "NeverHeardOf", timestamp: nil), .rawBody(status: 410, bytes: Array("{".utf8)),
        ]
        let count = answers.count
        let scene = try await Scene(perDevice: { token, attempt in
            // Once: what is resent is then accepted.
            attempt == 1 ? (1...count).first { Scene.token($0) == token }.map { answers[$0 - 1] } : nil
        })
        try scene.seedDue(count + 150, registered: Self.registered)
        let before = try scene.sql("select md5(string_agg(t::text, ',' order by user_id)) from public.push_tokens t")
        let run = try await scene.once()
        #expect(run.exit == .code(0), "\(run.text)")
        #expect(
            before == (try scene.sql("select md5(string_agg(t::text, ',' order by user_id)) from public.push_tokens t"))
        )
        #expect(run.number("tokens_deleted") == 0)
        // Each has its row; those to be resent were accepted.
        #expect(try scene.sql("select count(distinct user_id) from nudged.delivery") == "\(count + 150)")
        let outcomes = try scene.lines(
            "select coalesce(status, 0), coalesce(reason, ''), outcome from nudged.delivery where outcome <> 'accepted' order by user_id"
        )
        // 429, 500 and 503, and the two that wait until the window closes, which is at once.
        #expect(outcomes.filter { $0.hasSuffix("|deferred") }.count == 5 + 2, "\(outcomes)")
        #expect(outcomes.filter { $0 == "400|BadDeviceToken|rejected" }.count == 1, "\(outcomes)")
        #expect(outcomes.filter { $0 == "400|DeviceTokenNotForTopic|rejected" }.count == 1, "\(outcomes)")
        #expect(
            try scene.lines("select user_id, reason from nudged.quarantined order by 1") == [
                "\(Scene.user(1))|BadDeviceToken", "\(Scene.user(2))|DeviceTokenNotForTopic",
            ]
        )
        #expect(run.number("sent") == 150 + 3, "\(outcomes)")
    }

    /// Answers that stop the lane. The work stays pending, nothing is deleted or closed, and the command says what to
    /// fix.
    @Test(arguments: [
        (400, "BadTopic"), (400, "TopicDisallowed"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"),
        (403, "Forbidden"), (403, "InvalidProviderToken"), (403, "MissingProviderToken"),
        (403, "BadEnvironmentKeyIdInToken"),
        (403, "BadEnvironmentKeyInToken"),
    ])
    func lane_whenTheConfigurationIsWrong_stopsAndKeepsTheWork(status: Int, reason: String) async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: status, reason: reason) })
        try scene.seedDue(20)
        let run = try await scene.once()
        #expect(run.exit == .code(75), "\(run.text)")
        #expect(run.errors.occurrences(of: "sending is stopped, Apple answers \(reason)") >= 1)
        #expect(scene.simulator.snapshot().received.count == 1, "one push drew the answer, no other was sent")
        #expect(try scene.sql("select count(*) from public.push_tokens") == "20")
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
        #expect(
            try scene.sql(
                "select count(*) from nudged.person where due_at > now() + interval '5 seconds'"
            ) == "0"
        )
        #expect(try scene.states().values.allSatisfy { $0.history == .init() })
        // After the fix every push is sent once.
        try scene.simulator.setScript(
            SimulatorScript(
                settings: SimulatorSettings(keys: [
                    Scene.certificate.get().registered(keyID: Scene.keyID, teamID: Scene.teamID)
                ])
            )
        )
        try scene.expireLeases()
        let fixed = try await scene.once()
        #expect(fixed.exit == .code(0) && fixed.number("sent") == 20, "\(fixed.text)")
        #expect(scene.accepted().count == 20 && scene.accepted().values.allSatisfy { $0 == 1 })
    }

    @Test func tokens_whenTheProviderTokenIsRefreshedTooOften_stay() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 429, reason: "TooManyProviderTokenUpdates") })
        try scene.seedDue(20)
        let process = try scene.start(["run", "--once", "--json"])
        #expect(await scene.simulator.wait { $0.requests > 0 })
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(run.errors.occurrences(of: "sends nothing for 20 minutes") == 1, "\(run.text)")
        #expect(scene.simulator.snapshot().received.count == 1)
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
        #expect(try scene.sql("select count(*) from public.push_tokens") == "20")
        #expect(try scene.states().values.allSatisfy { $0.history == .init() })
    }
}
