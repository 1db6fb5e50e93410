import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// Live Activities, widgets and controls end to end: from the SQL call to what the simulated Apple takes and answers.
@Suite(.ownThreads) struct SurfaceTests {
    private static let start =
        #"apns => '{"live_activity": {"event": "start", "id": "o-17", "attributes_type": "OrderAttributes", "attributes": {"shop": "é"}, "content_state": {"eta": 10.50}, "stale_date": "2040-05-07T10:00:00+02:00"}, "relevance_score": 0.5}'"#
    private static let tokens = (
        start: String(repeating: "5a", count: 80), activity: String(repeating: "ac", count: 64)
    )

    private func scene(perDevice: Scene.Answers? = nil) async throws -> Scene {
        try await Scene.withoutCheckIns(1, perDevice: perDevice)
    }

    private func register(_ scene: Scene, _ token: String, _ surface: String) throws {
        try scene.sql(
            "select nudged_api.register_device('\(Scene.user(1))', '\(token)', environment => 'sandbox', surface => '\(surface)')"
        )
    }

    private func update(_ event: String, _ more: String = "") -> String {
        #"null, null, apns => '{"live_activity": {"event": "\#(event)", "id": "o-17", "content_state": {"eta": 5}\#(more)}}'"#
    }

    /// An update waits until the phone has told its token.
    @Test func activity_fromItsStartToItsEnd_isOnItsOwnTopic() async throws {
        let scene = try await scene()
        try register(scene, Self.tokens.start, "start:OrderAttributes")
        try scene.send(1, "'Your \"order\"', 'It is on its way', \(Self.start)")
        let size = try scene.payloadBytes()
        #expect(try await scene.once().number("sent") == 1)
        let start = try #require(scene.simulator.snapshot().accepted.first)
        #expect(start.token == Self.tokens.start && start.payload.count == size)
        #expect(start.topic == "\(Scene.topic).push-type.liveactivity" && start.pushType == "liveactivity")
        #expect(start.priority == 10)
        let sentAt = try scene.sql("select key from nudged.delivery where outcome = 'accepted'")
        let aps = try #require(try JSONValue(parsing: start.payload)["aps"])
        let timestamp = try #require(aps["timestamp"]?.integer)
        let expected =
            #"{"timestamp":\#(timestamp),"event":"start","content-state":{"eta": 10.50},"attributes-type":"OrderAttributes","attributes":{"shop": "é"},"input-push-token":1,"stale-date":2219990400,"alert":{"title":"Your \"order\"","body":"It is on its way","sound":"default"},"sound":"default","relevance-score":0.5}"#
        #expect(start.text == #"{"aps":\#(expected),"nudge":"\#(sentAt)"}"#)

        try scene.send(1, update("update", #", "priority": 5"#))
        #expect(try await scene.once().number("sent") == 0)
        try register(scene, Self.tokens.activity, "activity:o-17")
        #expect(try await scene.once().number("sent") == 1)
        try scene.send(1, update("end", #", "dismissal_date": "2040-05-07T08:00:00Z""#))
        #expect(try await scene.once().number("sent") == 1)
        let others = scene.simulator.snapshot().accepted.dropFirst()
        #expect(others.map(\.token) == [Self.tokens.activity, Self.tokens.activity])
        #expect(others.map(\.priority) == [5, 10])
        let ends = try others.map { try JSONValue(parsing: $0.payload)["aps"] }
        #expect(ends.map { $0?["event"]?.text } == ["update", "end"])
        #expect(ends.last??["dismissal-date"] == .int(2_219_990_400) && ends.last??["alert"] == nil)
    }

    @Test(arguments: ["widgets", "controls"]) func surface_whenItIsToReload_isTold(surface: String) async throws {
        let scene = try await scene()
        try register(scene, Self.tokens.activity, surface)
        try scene.send(1, "null, null, apns => '{\"\(surface)\": true}'")
        let size = try scene.payloadBytes()
        #expect(try await scene.once().number("sent") == 1)
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.topic == "\(Scene.topic).push-type.\(surface)" && push.pushType == surface && push.priority == 5)
        #expect(push.payload.count == size && push.token == Self.tokens.activity)
        #expect(try JSONValue(parsing: push.payload)["aps"] == JSONValue(parsing: #"{"content-changed":true}"#))
    }

    /// Only that token, in every spelling, and only if it was not registered since.
    @Test func token_afterA410_isForgotten() async throws {
        let scene = try await scene { token, _ in
            token == Self.tokens.activity ? .answer(status: 410, reason: "ExpiredToken") : nil
        }
        try register(scene, Self.tokens.activity.uppercased(), "activity:o-17")
        try register(scene, Self.tokens.start, "activity:o-17")
        try scene.send(1, update("update"))
        _ = try await scene.once()
        #expect(try scene.lines("select token from nudged.surface") == [Self.tokens.start])
        #expect(try scene.sql("select count(*) from public.push_tokens") == "1")
        let outcomes = "select outcome, status from nudged.delivery order by outcome"
        try scene.expect(outcomes, ["accepted|200", "rejected|410"])
    }

    /// Many wrong tokens of widgets are an app's mistake. Each gets one push of a message, and alerts go on.
    @Test(arguments: ["BadDeviceToken", "DeviceTokenNotForTopic"])
    func tokens_whenManyOfWidgetsAreRefused_stopNoLane(reason: String) async throws {
        let scene = try await scene { token, _ in token.hasPrefix("ac") ? .answer(status: 400, reason: reason) : nil }
        let users =
            "select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid from generate_series(1, 150) n"
        try scene.sql(
            """
            insert into nudged.surface (user_id, surface, token, environment) select u, 'widgets', rpad('ac' || replace(u::text, '-', ''), 64, '0'), 'sandbox'
            from (\(users)) as w (u);
            select count(*) from nudged_api.send_many(array(\(users)), null, null, apns => '{"widgets": true}');
            """
        )
        let refused = try await scene.once()
        #expect(refused.exit == .code(0) && !refused.text.contains("lane_stopped"), "\(refused.text)")
        try scene.sql("update nudged.person set due_at = now()")
        try scene.send(1, "'a', 'b'")
        let run = try await scene.once()
        #expect(run.number("sent") == 1, "\(run.text)")
        let outcomes = "select outcome, count(*), count(distinct user_id) from nudged.delivery group by 1 order by 1"
        try scene.expect(outcomes, ["accepted|1|1", "rejected|150|150"])
        #expect(try scene.sql("select count(*) from nudged.surface") == "150")
    }

    /// An app that has no widgets yet: its notifications go on.
    @Test func topic_whenAppleRefusesItForWidgets_stopsNoLane() async throws {
        let scene = try await scene { token, _ in
            token == Self.tokens.activity ? .answer(status: 400, reason: "TopicDisallowed") : nil
        }
        try register(scene, Self.tokens.activity, "widgets")
        try scene.send(1, "null, null, apns => '{\"widgets\": true}'")
        try scene.send(1, "'a', 'b'")
        let run = try await scene.once()
        let outcomes = try scene.lines("select outcome, reason from nudged.delivery order by outcome")
        #expect(outcomes == ["accepted|", "rejected|TopicDisallowed"], "\(run.text)")
        #expect(scene.simulator.snapshot().accepted.count == 1)
    }

    /// One user's very many rows, written directly, keep nobody else's tokens away.
    @Test(arguments: [
        "insert into nudged.message (user_id, id, title, body, deliver_at) select '\(Scene.user(1))', gen_random_uuid(), 'a', '', now() + interval '1 day' from generate_series(1, 2100)",
        "insert into nudged.surface (user_id, surface, token) select '\(Scene.user(1))', 'activity:' || n, md5(n::text) from generate_series(1, 1000) n",
    ]) func token_whenAnotherUserHasManyRows_isFound(rows: String) async throws {
        let scene = try await scene()
        try scene.sql(rows)
        try scene.sql(
            """
            select nudged_api.register_device('\(Scene.user(2))', '\(Self.tokens.activity)', environment => 'sandbox', surface => 'widgets');
            select nudged_api.send('\(Scene.user(2))', null, null, apns => '{"widgets": true}');
            """
        )
        _ = try await scene.once()
        #expect(scene.accepted()[Self.tokens.activity] == 1)
    }
}

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
