import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import Postgres
import Synchronization
import TestSupport
import Testing

import struct FoundationEssentials.UUID

/// Messages end to end: from `nudged_api.send` to the phone and into the record.
@Suite(.ownThreads) struct MessageTests {
    /// Users with a device each and no check-in of today.
    private func scene(_ users: Int, perDevice: Scene.Answers? = nil) async throws -> Scene {
        let scene = try await Scene.withoutCheckIns(users, perDevice: perDevice)
        scene.secrets.withLock { $0.append(Self.text) }
        return scene
    }

    private static let text = "planted-message-text"

    private func send(_ scene: Scene, _ user: Int, _ more: String = "") throws -> String {
        try scene.sql("select (nudged_api.send('\(Scene.user(user))', 'Ann', '\(Self.text)'\(more))).id")
    }

    /// No query finds the text once it ended.
    private func expectNoText(_ scene: Scene) throws {
        let tables = try scene.lines(
            """
            select format('select %L from nudged.%I t where t::text like %L', c.relname, c.relname, '%\(Self.text)%')
            from pg_class c where c.relnamespace = 'nudged'::regnamespace and c.relkind = 'r'
            """
        )
        #expect(try scene.lines(tables.joined(separator: " union all ")) == [])
    }

    @Test func message_whenSent_arrivesOnceWithItsTextAndLeavesNone() async throws {
        let scene = try await scene(3)
        let id = try send(
            scene,
            2,
            ", data => '{\"x\": [1, {\"y\": \"ä\\\"\"}], \"domain\": \"garden\"}', category => 'chat', thread_id => 'a\"b'"
        )
        let bytes = try scene.payloadBytes()
        try await scene.once().ends(0, ["sent": 1])
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.token == Scene.token(2) && push.payload.count == bytes)
        let payload = try JSONValue(parsing: push.payload)
        #expect(payload["aps"]?["alert"]?["body"] == .string(Self.text) && payload["domain"] == .string("garden"))
        #expect(payload["x"] == .array([.int(1), try JSONValue(parsing: #"{"y":"ä\""}"#)]))
        #expect(push.priority == 10 && push.collapseID?.isEmpty == false)
        let record = "select kind, key, outcome, slot is null from nudged.delivery where kind = 'message'"
        try scene.expect(record, ["message|\(id)|accepted|t"])
        try expectNoText(scene)
        #expect(try await scene.once().number("sent") == 0)
    }

    @Test(arguments: 0..<11) func payloadBytes_whenAMessageIsRendered_isWhatIsSent(number: Int) async throws {
        let scene = try await scene(1)
        let more = [
            "", ", urgent => true", ", data => '{}'",
            ", data => '{\"conversation_id\": \"\(UUID().uuidString)\"}', thread_id => 'x'",
            ", data => '{\"a\": 1e30, \"b\": null, \"domain\": \"x\\n\"}', category => 'y'",
            ", data => '{\"conversation_id\": \"\(UUID().uuidString)\", \"z\": {}}', urgent => true",
            ", data => '{\"conversation_id\": null, \"domain\": null}'",
            #", apns => '{"subtitle": "é\"", "badge": 0, "sound": "none", "relevance_score": 0.12345, "interruption_level": "passive"}'"#,
            #", urgent => true, apns => '{"sound": "a.caf", "relevance_score": 1, "filter_criteria": "f", "target_content_id": "w"}'"#,
            #", apns => '{"category": "c", "thread_id": "t", "mutable_content": true, "data": {"a": 1.50, "domain": "x"}}'"#,
            #", apns => '{"image_url": "https://example.com/a", "subtitle_loc_key": "S", "subtitle_loc_args": ["a", "b\""]}'"#,
        ]
        _ = try send(scene, 1, more[number])
        try scene.sql("update nudged.message set title = E'q\"\\\\ \\t\\x01 ü 👋'")
        let bytes = try scene.payloadBytes()
        #expect(try await scene.once().number("sent") == 1)
        #expect(scene.simulator.snapshot().accepted.map(\.payload.count) == [bytes])
    }

    @Test func message_whenThereIsNobodyToTell_endsInTheRecord() async throws {
        let scene = try await scene(1)
        let id = try scene.sql("select (nudged_api.send(gen_random_uuid(), 'a', '\(Self.text)')).id")
        let run = try await scene.once()
        #expect(run.number("dropped") == 1, "\(run.text)")
        let record = "select key, outcome, reason, device_hash from nudged.delivery where kind = 'message'"
        try scene.expect(record, ["\(id)|dropped|no_device|"])
        try expectNoText(scene)
    }

    /// Promise 2: an unknown message is repeated once, with the same ids; a second unknown is final.
    @Test(arguments: [1, 2]) func message_whenAppleIsSilent_isRepeatedOnce(silences: Int) async throws {
        let scene = try await scene(1, perDevice: { _, attempt in attempt <= silences ? .silence : nil })
        let id = try send(scene, 1)
        try await scene.once(Scene.impatient).ends()
        let outcomes = "select outcome from nudged.delivery where key = '\(id)' order by attempted_at"
        try scene.expect(outcomes, ["unknown", silences == 1 ? "accepted" : "unknown"])
        #expect(try scene.sql("select count(distinct apns_id) from nudged.delivery where key = '\(id)'") == "1")
        #expect(try scene.states().values.map(\.history.sent.count) == [1], "it counts once")
        #expect(scene.accepted().count == (silences == 1 ? 1 : 0))
        try expectNoText(scene)
    }

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
        try expectNoText(scene)
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

    /// A thousand wait in the night; the morning brings one push.
    @Test func messages_whenManyWaitedForTheMorning_wakeAsOne() async throws {
        let scene = try await scene(1)
        try scene.sql(
            """
            select (nudged_api.send('\(Scene.user(1))', 'n' || n, '\(Self.text)')).id from generate_series(1, 30) n;
            update nudged.message set created_at = now() - interval '1 hour';
            update public.context_profiles set timezone = 'UTC', notification_preferences = jsonb_build_object(
                'quiet_hours_start', to_char((now() - interval '90 minutes') at time zone 'UTC', 'HH24:MI'),
                'quiet_hours_end', to_char((now() - interval '2 minutes') at time zone 'UTC', 'HH24:MI'));
            """
        )
        try await scene.nudged(["run", "--once", "--json"], ["MESSAGES_DIGEST_BODY": "{count} for you"]).ends()
        let pushes = scene.simulator.snapshot().accepted
        #expect(pushes.count == 1)
        let payload = try JSONValue(parsing: try #require(pushes.first).payload)
        #expect(payload["aps"]?["alert"]?["body"] == .string("30 for you"))
        try scene.expect(
            "select count(*), count(distinct apns_id), count(distinct key) from nudged.delivery where reason = 'digest'",
            "30|1|30"
        )
        try expectNoText(scene)
    }

    /// An app's transaction that cancels one message stays open: what else its user gets goes meanwhile, and that one as the transaction ends.
    @Test(arguments: [true, false]) func messages_whenOneIsBeingCancelled_goWithoutIt(commits: Bool) async throws {
        struct RolledBack: Error {}
        let started = Mutex<ChildProcess?>(nil)
        let scene = try await scene(1)
        let held = try send(scene, 1)
        let other = try send(scene, 1)
        try scene.sql(
            "select nudged_api.set_reminder('\(Scene.user(1))', 'task', '7', 'Water', '\(Self.text)', due_at => now())"
        )
        let app = try await Connection.open(.parse(url: scene.cluster.url(database: scene.database)))
        do {
            try await app.transaction(timeout: .seconds(90)) { transaction in
                try await transaction.execute(script: "select nudged_api.cancel('\(Scene.user(1))', '\(held)')")
                let process = try scene.startFast()
                started.withLock { $0 = process }
                #expect(await scene.simulator.waitUntil(accepted: 2))
                if !commits { throw RolledBack() }
            }
        } catch is RolledBack {}
        await app.close()
        let process = try #require(started.withLock { $0 })
        if !commits { #expect(await scene.simulator.waitUntil(accepted: 3)) }
        try await scene.wait(for: "count(*) = 0 from nudged.message", of: process)
        try await scene.stop(process)
        #expect(scene.simulator.snapshot().accepted.count == (commits ? 2 : 3))
        let both = "nudged.delivery where key in ('\(held)', '\(other)')"
        let outcomes = try scene.lines("select outcome, count(*) from \(both) group by 1 order by 1")
        #expect(outcomes == (commits ? ["accepted|1", "dropped|1"] : ["accepted|2"]))
    }
}
