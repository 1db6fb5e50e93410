import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Apple never answers one push: it delays no other.
@Suite(.ownThreads) struct SilentPushTests {
    /// Its neighbours' outcomes are recorded as they come, while it is open.
    @Test func outcomes_whenOnePushOf500IsSilent_areRecordedAtOnce() async throws {
        let scene = try await Scene(perDevice: { token, _ in token == Scene.token(250) ? .silence : .accept })
        try scene.seedDue(500)
        let process = try scene.start(["run"], ["APNS_RESPONSE_TIMEOUT": "300s", "SCHEDULE_LEASE": "900s"])
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
}
