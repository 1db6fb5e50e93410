import APNsSimulator
import JSON
import TestSupport
import Testing

/// The argument `apns` end to end: from the SQL call to the bytes that the simulated Apple takes.
@Suite(.ownThreads) struct PushOptionsTests {
    private func sent(_ scene: Scene, _ arguments: String) async throws -> AcceptedPush {
        try scene.sql("select (nudged_api.send('\(Scene.user(1))', \(arguments))).id")
        let run = try await scene.once()
        #expect(run.number("sent") == 1, "\(run.text)")
        return try #require(scene.simulator.snapshot().accepted.first)
    }

    /// Each wish of an app, as SQL, and what Apple gets.
    @Test(arguments: [
        (#"'a', 'b', apns => '{"badge": 1}'"#, #"{"alert":{"title":"a","body":"b"},"sound":"default","badge":1}"#),
        (
            #"'a', 'b', apns => '{"subtitle": "s", "sound": "bell.caf"}'"#,
            #"{"alert":{"title":"a","subtitle":"s","body":"b"},"sound":"bell.caf"}"#
        ),
        (
            #"'a', 'b', apns => '{"sound": "none", "interruption_level": "passive", "relevance_score": 0.25}'"#,
            #"{"alert":{"title":"a","body":"b"},"interruption-level":"passive","relevance-score":0.25}"#
        ),
        (
            #"'a', 'b', apns => '{"category": "c", "thread_id": "t", "mutable_content": true}'"#,
            #"{"alert":{"title":"a","body":"b"},"sound":"default","thread-id":"t","category":"c","mutable-content":1}"#
        ),
        (
            #"null, 'b', apns => '{"title_loc_key": "T", "title_loc_args": ["x"], "filter_criteria": "f", "target_content_id": "w"}'"#,
            #"{"alert":{"title-loc-key":"T","title-loc-args":["x"],"body":"b"},"sound":"default","filter-criteria":"f","#
                + #""target-content-id":"w"}"#
        ),
    ]) func message_whenItHasApns_arrivesAsTheAppSays(arguments: String, aps: String) async throws {
        let scene = try await Scene.withoutCheckIns(1)
        let push = try await sent(scene, arguments)
        #expect(push.pushType == "alert" && push.priority == 10)
        #expect(try JSONValue(parsing: push.payload)["aps"] == JSONValue(parsing: aps))
    }

    @Test func message_whenItHasAnImage_bringsItBesideAps() async throws {
        let scene = try await Scene.withoutCheckIns(1)
        let push = try await sent(
            scene,
            #"'a', 'b', apns => '{"image_url": "https://example.com/a.png", "data": {"x": 1}}'"#
        )
        let payload = try JSONValue(parsing: push.payload)
        #expect(payload["image_url"] == .string("https://example.com/a.png") && payload["x"] == .int(1))
        #expect(payload["aps"]?["mutable-content"] == .int(1))
    }

    @Test func message_whenABackgroundPush_hasTypeBackgroundAndPriorityFive() async throws {
        let scene = try await Scene.withoutCheckIns(1)
        let push = try await sent(
            scene,
            #"null, null, data => '{"sync": true}', apns => '{"content_available": true}'"#
        )
        #expect(push.pushType == "background" && push.priority == 5)
        let name = try scene.sql("select key from nudged.delivery")
        #expect(push.text == #"{"aps":{"content-available":1},"sync": true,"nudge":"\#(name)"}"#)
    }

    /// From the locale that the device registered with to the bytes, and in a preview.
    @Test func message_whenItHasTexts_arrivesInTheUsersLanguage() async throws {
        let scene = try await Scene.withoutCheckIns(1)
        let texts = #"texts => '{"de": {"title": "Hallo", "body": "Bis morgen \""}, "fr": {"body": "A demain"}}'"#
        try scene.sql(
            "select done from nudged_api.register_device('\(Scene.user(1))', '\(Scene.token(1))', locale => 'de_AT')"
        )
        try scene.sql("select (nudged_api.send('\(Scene.user(1))', 'Hello', 'See you', urgent => true, \(texts))).id")
        let bytes = try scene.sql(
            """
            select nudged.payload_bytes(texts #>> '{de,title}', texts #>> '{de,body}', data, urgent, category, thread_id, apns)
            from nudged.message
            """
        )
        #expect(try await scene.once().number("sent") == 1)
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.payload.count == Int(bytes))
        let alert = try JSONValue(parsing: push.payload)["aps"]?["alert"]
        #expect(try alert == JSONValue(parsing: #"{"title":"Hallo","body":"Bis morgen \""}"#))
    }

    @Test(arguments: [
        (#"apns => '{"badge": 0}'"#, #"{"badge":0}"#),
        (#"data => '{"x": 1}', apns => '{"badge": 12, "sound": null}'"#, #"{"badge":12}"#),
        (#"apns => '{"badge": 3, "content_available": true}'"#, #"{"content-available":1,"badge":3}"#),
    ]) func message_whenABadgeWithoutText_isAnAlertOfThatBadge(options: String, aps: String) async throws {
        let scene = try await Scene.withoutCheckIns(1)
        try scene.sql("select (nudged_api.send('\(Scene.user(1))', null, '', \(options))).id")
        let bytes = try scene.payloadBytes()
        #expect(try await scene.once().number("sent") == 1)
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.pushType == "alert" && push.priority == 10 && push.payload.count == bytes)
        let payload = try JSONValue(parsing: push.payload)
        #expect(try payload["aps"] == JSONValue(parsing: aps) && payload["action"] == nil)
    }

    /// The owner allows critical alerts. They pass quiet hours only if they are urgent, like any message.
    @Test(arguments: [
        (
            #"urgent => true, apns => '{"sound": {"critical": 1, "name": "siren.caf", "volume": 0.8}, "interruption_level": "critical"}'"#,
            #"{"alert":{"title":"a","body":"b"},"sound":{"critical":1,"name":"siren.caf","volume":0.8},"interruption-level":"critical"}"#
        ),
        (
            #"urgent => true, apns => '{"sound": {"critical": 1, "volume": 1}}'"#,
            #"{"alert":{"title":"a","body":"b"},"sound":{"critical":1,"name":"default","volume":1.0}}"#
        ),
        (
            #"apns => '{"sound": {"critical": 1, "name": "é\"", "volume": 0.12345}}'"#,
            #"{"alert":{"title":"a","body":"b"},"sound":{"critical":1,"name":"é\"","volume":0.123}}"#
        ),
        (
            #"apns => '{"sound": {"critical": 1}, "interruption_level": "critical"}'"#,
            #"{"alert":{"title":"a","body":"b"},"sound":{"critical":1,"name":"default"},"interruption-level":"critical"}"#
        ),
    ]) func message_whenCriticalAlertsAreAllowed_isOne(options: String, aps: String) async throws {
        let scene = try await Scene.withoutCheckIns(1)
        try scene.sql("update nudged.setting set allow_critical = true")
        try scene.sql("select (nudged_api.send('\(Scene.user(1))', 'a', 'b', \(options))).id")
        let bytes = try scene.payloadBytes()
        #expect(try await scene.once().number("sent") == 1)
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.payload.count == bytes)
        #expect(push.text.hasPrefix(#"{"aps":\#(aps),"#))
    }

    /// Not before its time: nothing is sent, and the user rests until then.
    @Test func message_whenForLater_isSentAtItsTimeAndNotBefore() async throws {
        let scene = try await Scene.withoutCheckIns(1)
        try scene.send(1, "'a', 'b', deliver_at => now() + interval '1 hour'")
        #expect(try await scene.once().number("sent") == 0)
        // One evaluation, and none until its time.
        try scene.expect(
            "select due_at = (select deliver_at from nudged.message) from nudged.person where user_id = '\(Scene.user(1))'",
            "t"
        )
        try scene.sql("update nudged.message set deliver_at = now() - interval '1 second'")
        try scene.sql("update nudged.person set due_at = now()")
        #expect(try await scene.once().number("sent") == 1)
    }
}
