import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Apple never answers one push: it delays no other.
@Suite(.ownThreads) struct SilentPushTests {
    private static let settings: [String: String?] = ["APNS_RESPONSE_TIMEOUT": "300s", "SCHEDULE_LEASE": "900s"]

    private func scene(_ users: Int, silent: Int) async throws -> Scene {
        let scene = try await Scene(perDevice: { token, _ in token == Scene.token(silent) ? .silence : .accept })
        try scene.seedDue(users)
        return scene
    }

    /// Its neighbours' outcomes are recorded as they come, while it is open.
    @Test func outcomes_whenOnePushOf500IsSilent_areRecordedAtOnce() async throws {
        let scene = try await scene(500, silent: 250)
        let process = try scene.start(["run"], Self.settings)
        #expect(await scene.simulator.waitUntil(accepted: 499))
        let began = ContinuousClock.now
        try await scene.wait(for: "count(*) = 499 from nudged.delivery where outcome = 'accepted'", of: process)
        print("silent push: the last of 499 outcomes was recorded within \(ContinuousClock.now - began)")
        // Long before the silent one is given up.
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(try scene.lines("select o.user_id from \(Scene.openUsers)") == [Scene.user(250)])
        // Dead now, it leaves this one as unknown, and no other.
        process.signal(SIGKILL)
        _ = try await scene.finish(process)
        try scene.expireLeases()
        try await scene.once().ends()
        let outcomes = "select outcome, count(*) from nudged.delivery group by 1 order by 1"
        try scene.expect(outcomes, ["accepted|499", "unknown|1"])
    }

    /// Where ten pushes may be in flight, nine places go on.
    @Test func places_whenOneOfTenIsSilent_goOn() async throws {
        let scene = try await scene(200, silent: 5)
        let process = try scene.start(["run"], Self.settings.merging(["APNS_MAX_IN_FLIGHT": "10"]) { $1 })
        #expect(await scene.simulator.waitUntil(accepted: 199))
        let open = "select count(*) from nudged.intent, unnest(user_ids) u where u = '\(Scene.user(5))'"
        #expect(try scene.sql(open) == "1", "the silent one is open still")
        try await scene.wait(for: "count(*) = 199 from nudged.delivery where outcome = 'accepted'", of: process)
        process.signal(SIGKILL)
        _ = try await scene.finish(process)
    }
}
