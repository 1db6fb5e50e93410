import APNsSimulator
import Glibc
import Synchronization
import TestSupport
import Testing

/// Several apps and environments on one daemon: each with its own host, key, connections and stop.
@Suite(.ownThreads) struct LaneTests {
    private static let other = "com.example.other"

    private func once(_ scene: Scene, _ second: SecondApple, _ changes: [String: String?] = [:]) async throws
        -> Scene.Run
    {
        try await scene.nudged(["run", "--once", "--json", "--config", second.path], changes, within: .seconds(90))
    }

    /// The main lane's users, up to `last`, are due before the others, who are in production: they stand first in the
    /// queue.
    private func seed(_ scene: Scene, _ users: Int, mainUpTo last: Int) throws {
        try scene.seedDue(users)
        try scene.sql(
            """
            update public.push_tokens set environment = 'production' where user_id > '\(Scene.user(last))';
            insert into nudged.person (user_id, due_at)
            select user_id, now() - case when user_id <= '\(Scene.user(last))' then interval '2 hours' else interval '1 hour' end
            from public.context_profiles
            """
        )
    }

    /// Happy: two environments and two topics side by side, each lane with its own host and token.
    @Test func lanes_whenTwoEnvironmentsAndTwoTopics_shareNothing() async throws {
        let scene = try await Scene()
        let second = try SecondApple(scene, topic: Self.other)
        try scene.seedDue(40)
        // Ten of each; the last ten name nothing, and are the main app's.
        try scene.sql(
            """
            update public.push_tokens set
                environment = case when user_id < '\(Scene.user(21))' then 'production' when user_id < '\(Scene.user(31))' then 'sandbox' end,
                topic = case when user_id between '\(Scene.user(11))' and '\(Scene.user(30))' then '\(Self.other)' end
            """
        )
        try await once(scene, second).ends(0, ["sent": 40])
        for (simulator, places) in [
            (second.simulator, [1...10: Scene.topic, 11...20: Self.other]),
            (scene.simulator, [21...30: Self.other, 31...40: Scene.topic]),
        ] {
            let pushes = simulator.snapshot().accepted
            for (users, topic) in places {
                let own = pushes.filter { $0.topic == topic }
                #expect(Set(own.map(\.token)) == Set(users.map { Scene.token($0) }) && own.count == 10, "\(topic)")
            }
            let topics = Dictionary(grouping: pushes, by: \.connection).mapValues { Set($0.map(\.topic)).count }
            #expect(topics.count >= 2 && topics.values.allSatisfy { $0 == 1 }, "a connection carries one topic")
            #expect(simulator.providerTokens == 2, "each lane signs its own token")
        }
    }

    /// A lane that Apple refuses holds up no other lane. Its users stay pending, are deferred, and are sent to when it
    /// is fixed.
    @Test func lane_whenAnotherIsStopped_goesOn() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let second = try SecondApple(scene, topic: Self.other)
        try seed(scene, 300, mainUpTo: 200)
        try await once(scene, second, ["SCHEDULE_BATCH": "20"])
            .ends(75, ["sent": 100], errors: "InvalidProviderToken", "\(Scene.topic) (sandbox)")
        #expect(second.simulator.accepted.count == 100 && scene.accepted().isEmpty)
        // They stepped aside, so that the next sweep finds the others' users first.
        let late = "user_id <= '\(Scene.user(200))' and due_at < now() - interval '1 minute'"
        try scene.expect("select count(*) from nudged.person where \(late)", "0")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome <> 'accepted'") == "0")
        #expect(try scene.states().values.allSatisfy(\.history.closed.isEmpty))
        #expect(try scene.states(where: "user_id <= '\(Scene.user(200))'").values.allSatisfy(\.history.sent.isEmpty))
        try scene.acceptAll()
        let unserved = try scene.states().filter { $0.value.history.sent.isEmpty }.map { "'\($0.key)'" }
        let others = "state is null or user_id in (\(unserved.joined(separator: ",")))"
        try scene.sql("update nudged.person set due_at = now() where \(others)")
        try await once(scene, second).ends(0, ["sent": 200])
        #expect(scene.accepted().count == 200 && scene.accepted().values.allSatisfy { $0 == 1 })
    }

    /// A lane whose server answers nothing fills its share of what may be in flight, and no more: the other lane's users get theirs meanwhile.
    @Test func lane_whenAnotherHangs_goesOn() async throws {
        // The first push is accepted: the connection has its thousand streams, and only the budget holds the lane.
        let isProven = Atomic(false)
        let scene = try await Scene(perDevice: { _, _ in
            isProven.exchange(true, ordering: .relaxed) ? .held(then: .accept) : nil
        })
        let second = try SecondApple(scene, topic: Self.other)
        try seed(scene, 400, mainUpTo: 300)
        let slow = [
            "SCHEDULE_BATCH": "20", "APNS_MAX_IN_FLIGHT": "40", "APNS_RESPONSE_TIMEOUT": "100s",
            "SCHEDULE_LEASE": "300s",
        ]
        let process = try scene.startFast(slow, with: "--config", second.path)
        // Nothing is answered here until everyone there has theirs.
        #expect(await second.simulator.waitUntil(accepted: 100), "\(second.simulator.counts)")
        #expect(scene.simulator.counts.accepted == 1)
        // Four lanes: an eighth of the half is reserved for each of the other three.
        let most = scene.simulator.counts.mostHeld
        #expect(most <= 40 - 3 * 5, "the hanging lane had \(most) of 40")
        let open = try scene.sql("select count(*) from \(Scene.openUsers)")
        #expect((Int(open) ?? .max) <= 40)
        process.signal(SIGKILL)
        _ = await process.ended()
    }
}
