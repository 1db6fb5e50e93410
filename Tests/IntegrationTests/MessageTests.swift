import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Messages end to end: from `nudged_api.send` to the phone and into the record.
@Suite(.ownThreads) struct MessageTests {
    /// Users with a device each and no check-in of today.
    private func scene(_ users: Int, perDevice: Scene.Answers? = nil) async throws -> Scene {
        let scene = try await Scene.withoutCheckIns(users, perDevice: perDevice)
        scene.secrets.withLock { $0.append(Self.text) }
        return scene
    }

    private static let text = "planted-message-text"

    /// The same after a kill: at most one repeat a message, and the same apns-id.
    @Test(arguments: ["after_intent", "handed_over", "before_settle"])
    func messages_whenKilled_areRepeatedOnce(point: String) async throws {
        let scene = try await scene(60, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql(
            "select count(*) from nudged_api.send_many(array(select user_id from public.context_profiles), 'Ann', '\(Self.text)')"
        )
        let small = ["APNS_MAX_IN_FLIGHT": "40", "SCHEDULE_BATCH": "20", "NUDGED_FAIL_POINT": "\(point):kill:1"]
        #expect(try await scene.nudged(["run", "--once", "--json"], small).exit == .signal(SIGKILL))
        let open = try scene.openPushes()
        #expect(open > 0)
        try scene.expireLeases()
        try await scene.once().ends()
        #expect(Int(try scene.sql("select count(*) from nudged.delivery where outcome = 'unknown'")) == open)
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "60")
        let pushes = Dictionary(grouping: scene.simulator.snapshot().accepted, by: \.token)
        #expect(pushes.count == 60 && pushes.values.allSatisfy { $0.count <= 2 && Set($0.map(\.apnsID)).count == 1 })
        #expect(pushes.values.count { $0.count == 2 } <= open)
        try scene.expectGone(Self.text)
    }

    /// While a daemon sends, the app takes messages back: true says that it never arrives, false that it does.
    @Test(arguments: [
        "(nudged_api.cancel(asked.user_id, asked.id)).done = 1",
        "(select c.done = 1 from nudged_api.cancel_messages(user_id => asked.user_id, category => 'sale') c)",
        "(select c.done = 1 from nudged_api.cancel_messages(user_id => asked.user_id, dedupe_prefix => 'sale-') c)",
        "(nudged_api.cancel_messages(asked.user_id)).done = 1",
    ]) func messages_whenCancelledWhileSending_areEitherTakenBackOrSent(call: String) async throws {
        let scene = try await scene(400, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql("create table asked (id uuid, user_id uuid, in_time boolean)")
        try scene.sql(
            "insert into asked (id, user_id) select id, user_id from nudged_api.send_many(array(select user_id from public.context_profiles), 'Ann', '\(Self.text)', category => 'sale', dedupe_key => 'sale-1')"
        )
        try await scene.whileSending(
            "update asked set in_time = \(call) where id = one.id",
            until: "count(*) = 0 from nudged.message"
        )
        let taken = Set(scene.simulator.snapshot().accepted.map(\.token))
        let cancelled = try scene.lines(
            "select device_token, in_time from asked join public.push_tokens using (user_id)"
        ).map { $0.split(separator: "|").map(String.init) }
        #expect(cancelled.count == 400 && cancelled.allSatisfy { taken.contains($0[0]) == ($0[1] == "f") })
        let inTime = cancelled.count { $0[1] == "t" }
        print("\(inTime) of 400 taken back")
        #expect(inTime > 0 && inTime < 400)
        #expect(try scene.sql("select count(*) from nudged.delivery where reason = 'cancelled'") == "\(inTime)")
    }
}
