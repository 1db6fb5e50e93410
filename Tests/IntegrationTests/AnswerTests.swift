import APNsSimulator
import Glibc
import TestSupport
import Testing

/// 410 deletes a token, conditionally. Of the other answers (`AnswerTableTests`), some let the lane rest, and some stop it
/// (`Tests/Reference/Scenes`).
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
        try await scene.once().ends(0, ["tokens_deleted": 3, "sent": 2])
        let gone = try (1...8).filter {
            try scene.sql("select count(*) from public.push_tokens where user_id = '\(Scene.user($0))'") == "0"
        }
        #expect(gone == [1, 4, 5])
        try scene.expect("select count(*) from nudged.delivery where outcome = 'rejected' and status = 410", "6")
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
