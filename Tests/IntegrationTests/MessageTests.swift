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
        "(nudged_api.cancel(one.subject::uuid, one.id)).done = 1",
        "(select c.done = 1 from nudged_api.cancel_messages(user_id => one.subject::uuid, category => 'sale') c)",
        "(select c.done = 1 from nudged_api.cancel_messages(user_id => one.subject::uuid, dedupe_prefix => 'sale-') c)",
        "(nudged_api.cancel_messages(one.subject::uuid)).done = 1",
    ]) func messages_whenCancelledWhileSending_areEitherTakenBackOrSent(call: String) async throws {
        let scene = try await scene(400, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        let all = try await scene.takeBack(
            "select count(*) from nudged_api.send_many(array(select user_id from public.context_profiles), 'Ann', '\(Self.text)', category => 'sale', dedupe_key => 'sale-1')",
            by: call,
            until: "count(*) = 0 from nudged.message"
        )
        #expect(all.inTime.count + all.tooLate.count == 400 && Set(scene.accepted().keys) == all.tooLate)
        try scene.expect("select count(*) from nudged.delivery where reason = 'cancelled'", "\(all.inTime.count)")
    }
}
