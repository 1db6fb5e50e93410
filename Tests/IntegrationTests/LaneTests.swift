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

    /// One phone with a build from Xcode and one from the store: two devices of one user, on two lanes, each gets its push once.
    @Test func devices_whenOnTwoLanes_eachGetTheirs() async throws {
        let scene = try await Scene()
        let second = try SecondApple(scene, topic: Self.other)
        try scene.seedDue(5, devices: 2)
        try scene.sql("update public.push_tokens set environment = 'production' where device_token like '%1'")
        try await once(scene, second).ends(0, ["sent": 10])
        #expect(scene.accepted() == Dictionary(uniqueKeysWithValues: (1...5).map { (Scene.token($0), 1) }))
        #expect(second.accepted() == Dictionary(uniqueKeysWithValues: (1...5).map { (Scene.token($0, 1), 1) }))
        // The nudge counts once, whatever its devices and lanes.
        #expect(try scene.states().values.count { $0.history.sent.count == 1 } == 5)
    }

    /// A lane that Apple refuses holds up no other lane. Its users stay pending, are deferred, and are sent to when it
    /// is fixed.
    @Test func lane_whenAnotherIsStopped_goesOn() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let second = try SecondApple(scene, topic: Self.other)
        try scene.seedDue(300)
        // The stopped lane's users are due before the others: they stand first in the queue.
        try scene.sql(
            """
            update public.push_tokens set environment = 'production' where user_id > '\(Scene.user(200))';
            insert into nudged.person (user_id, due_at)
            select user_id, now() - case when user_id <= '\(Scene.user(200))' then interval '2 hours' else interval '1 hour' end
            from public.context_profiles
            """
        )
        try await once(scene, second, ["SCHEDULE_BATCH": "20"])
            .ends(75, ["sent": 100], errors: "InvalidProviderToken", "\(Scene.topic) (sandbox)")
        #expect(second.accepted().count == 100 && scene.accepted().isEmpty)
        // They stepped aside, so that the next sweep finds the others' users first.
        try scene.expect(
            "select count(*) from nudged.person where user_id <= '\(Scene.user(200))' and due_at < now() - interval '1 minute'",
            "0"
        )
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome <> 'accepted'") == "0")
        #expect(try scene.states().values.allSatisfy(\.history.closed.isEmpty))
        #expect(try scene.states(where: "user_id <= '\(Scene.user(200))'").values.allSatisfy(\.history.sent.isEmpty))
        try scene.acceptAll()
        let unserved = try scene.states().filter { $0.value.history.sent.isEmpty }.map { "'\($0.key)'" }
        try scene.sql(
            "update nudged.person set due_at = now() where state is null or user_id in (\(unserved.joined(separator: ",")))"
        )
        try await once(scene, second).ends(0, ["sent": 200])
        #expect(scene.accepted().count == 200 && scene.accepted().values.allSatisfy { $0 == 1 })
    }

    /// A lane whose server answers nothing fills its share of what may be in flight, and no more: the other lane's users get theirs meanwhile.
    @Test func lane_whenAnotherHangs_goesOn() async throws {
        // The first push is accepted: the connection has its thousand streams, and only the budget holds the lane.
        let isProven = Mutex(false)
        let scene = try await Scene(perDevice: { _, _ in
            isProven.withLock { isProven in
                defer { isProven = true }
                return isProven ? .held(then: .accept) : nil
            }
        })
        let second = try SecondApple(scene, topic: Self.other)
        try scene.seedDue(400)
        try scene.sql(
            """
            update public.push_tokens set environment = 'production' where user_id > '\(Scene.user(300))';
            insert into nudged.person (user_id, due_at)
            select user_id, now() - case when user_id <= '\(Scene.user(300))' then interval '2 hours' else interval '1 hour' end
            from public.context_profiles
            """
        )
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

    /// Its devices hold nothing back from the user's others. What waits for them ends, and the record, the journal and
    /// `nudged explain` say why.
    @Test func lane_whenRemoved_holdsNothingForEver() async throws {
        let scene = try await Scene()
        let refusal = ScriptedAnswer.answer(status: 500, reason: "InternalServerError")
        let second = try SecondApple(scene, topic: Self.other, perDevice: { _, _ in refusal })
        try scene.seedDue(5)
        // 1 and 5: a device on both lanes. 2, 3 and 4: only on the one that goes.
        let both = "user_id in ('\(Scene.user(1))', '\(Scene.user(5))')"
        try scene.sql(
            """
            update public.context_profiles set notification_preferences = '{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}';
            update public.push_tokens set environment = 'production' where not \(both);
            insert into public.push_tokens (user_id, device_token, environment, created_at, updated_at)
            select user_id, left(device_token, 60) || 'dead', 'production', created_at, updated_at from public.push_tokens where \(both);
            select nudged_api.send(user_id, 'Ann', 'Hello.') from public.context_profiles where user_id <= '\(Scene.user(3))';
            select nudged_api.set_reminder('\(Scene.user(5))', 'task', '1', 'Water', 'The plants.', due_at => now(), recurrence => 'FREQ=DAILY')
            """
        )
        _ = try await once(scene, second)
        let record = "select right(user_id::text, 1), outcome, reason from nudged.delivery"
        let outcomes = ["1|accepted|", "5|accepted|"] + [1, 2, 3, 5].map { "\($0)|deferred|InternalServerError" }
        #expect(try scene.lines("\(record) order by 2, 1") == outcomes)

        // Without the lane. Who gets a new device gets the message there.
        try scene.sql(
            """
            select nudged_api.send('\(Scene.user(4))', 'Ann', 'Hello.');
            insert into public.push_tokens (user_id, device_token, environment) values ('\(Scene.user(3))', '\(Scene.token(3, 1))', 'sandbox');
            update nudged.person set due_at = now()
            """
        )
        let without = try await scene.once()
        #expect(without.errors.occurrences(of: "device_not_served") == 1, "\(without.text)")
        var taken = [Scene.token(1): 1, Scene.token(3, 1): 1, Scene.token(5): 1]
        #expect(scene.accepted() == taken)
        let waiting = "select right(user_id::text, 1) from nudged.message order by 1"
        #expect(try scene.lines(waiting) == ["1", "2", "4"])
        for user in [2, 4] {
            let told = try await scene.nudged(["explain", Scene.user(user)])
            #expect(told.output.contains("is held (device_not_served)."), "\(told.text)")
        }

        // The next day's reminder comes to the other device. A week later nothing is left.
        try scene.sql(
            """
            update nudged.occurrence set due_at = due_at - interval '1 day', first_at = first_at - interval '1 day', planned_local = planned_local - interval '1 day';
            update nudged.message set expires_at = case right(user_id::text, 1) when '1' then 'infinity' else now() end;
            update nudged.person set retry = replace(retry::text, retry #>> '{0,counted_at}', '2026-01-01T00:00:00Z')::jsonb
            where user_id = '\(Scene.user(1))';
            update nudged.person set due_at = now()
            """
        )
        #expect(try await scene.once().exit == .code(0))
        taken[Scene.token(5)] = 2
        #expect(try scene.accepted() == taken && scene.lines(waiting).isEmpty)
        #expect(try scene.sql("select count(*) from nudged.person where retry is not null") == "0")
        try scene.expect(
            "\(record) where outcome in ('skipped', 'dropped') order by 1",
            [
                "1|skipped|device_not_served", "2|dropped|device_not_served", "4|dropped|device_not_served",
                "5|skipped|collapsed",
            ]
        )
    }
}
