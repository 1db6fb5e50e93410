import Testing

@testable import Core

/// The argument `apns` of the calls, and the column of templates: what is taken, stored and refused.
@Suite(.ownThreads) struct MessageOptionsTests {
    typealias F = StoreFixture

    private func send(_ more: String) -> String { "select nudged_api.send(\(F.quoted(1)), \(more))" }

    @Test func apns_whenTaken_isStoredWithoutWhatHasAColumn() async throws {
        let fixture = try await F()
        try fixture.sql(
            send(
                """
                'a', 'b', apns => '{"badge": 1, "sound": null, "mutable_content": false, "relevance_score": 0.12345, "category": "c", "thread_id": "t",
                    "data": {"x": 1}}'
                """
            )
        )
        #expect(
            try fixture.sql("select apns, category, thread_id, data from nudged.message")
                == #"{"badge": 1, "relevance_score": 0.123}|c|t|{"x": 1}"#
        )
        try fixture.sql("delete from nudged.message")
        try fixture.sql(send(#"'a', 'b', apns => '{"category": null}'"#))
        #expect(try fixture.sql("select apns is null, category is null from nudged.message") == "t|t")
        await fixture.close()
    }

    /// `conversation_id` is a UUID or null.
    @Test func data_whenItsConversationIsNull_isTaken() async throws {
        let fixture = try await F()
        let id = try fixture.sendMessage(1, more: #", data => '{"conversation_id": null, "domain": null, "x": 1}'"#)
        try await fixture.drain()
        let message = try #require(try await fixture.claim().first?.messages.first)
        #expect(message.id == id && message.conversationID == nil && message.domain == nil)
        #expect(message.data == #"{"x": 1}"#)
        await fixture.close()
    }

    @Test(arguments: [
        ("'a', 'b', apns => '[1]'", "apns is of type array / Give a JSON object such as {\"badge\": 1}."),
        (
            #"'a', 'b', apns => '{"interruption-level": "active"}'"#,
            "apns has a member interruption-level / Did you mean interruption_level?"
        ),
        (#"'a', 'b', apns => '{"bagde": 1}'"#, "apns has a member bagde / Did you mean badge?"),
        (#"'a', 'b', apns => '{"badge": 1.5}'"#, "apns.badge is not valid / Wanted: an integer from 0"),
        (#"'a', 'b', apns => '{"badge": 2147483648}'"#, "apns.badge is not valid / "),
        (#"'a', 'b', apns => '{"badge": "1"}'"#, "apns.badge is not valid / "),
        (#"'a', 'b', apns => '{"badge": 1e200}'"#, "apns holds a number of more than 100 digits / "),
        (#"'a', 'b', apns => '{"sound": ""}'"#, "apns.sound is not valid / Wanted: default, none, or "),
        (#"'a', 'b', apns => '{"interruption_level": "critical"}'"#, "apns.interruption_level is not valid / "),
        (#"'a', 'b', apns => '{"relevance_score": 1.5}'"#, "apns.relevance_score is not valid / "),
        (#"'a', 'b', apns => '{"mutable_content": 1}'"#, "apns.mutable_content is not valid / "),
        (#"'a', 'b', apns => '{"image_url": "http://example.com/a"}'"#, "apns.image_url is not valid / "),
        (
            #"'a', 'b', apns => '{"image_url": "https://example.com/a", "mutable_content": false}'"#,
            "apns.mutable_content is false beside apns.image_url / "
        ),
        (#"'a', 'b', apns => '{"loc_args": ["a"]}'"#, "apns.loc_args is given without apns.loc_key / "),
        (#"'a', '', apns => '{"loc_key": "K", "loc_args": [1]}'"#, "apns.loc_args is not valid / "),
        (#"'a', 'b', apns => '{"loc_key": "K"}'"#, "body and apns.loc_key are both given / "),
        (#"'a', 'b', apns => '{"title_loc_key": "K"}'"#, "title and apns.title_loc_key are both given / "),
        (
            #"'a', 'b', apns => '{"subtitle": "s", "subtitle_loc_key": "K"}'"#,
            "apns.subtitle and apns.subtitle_loc_key are both given / "
        ),
        (#"'', '', apns => '{"subtitle": "s"}'"#, "title and body are both empty / "),
        (#"'a', 'b', category => 'x', apns => '{"category": "y"}'"#, "category and apns.category are both given / "),
        (#"'a', 'b', data => '{}', apns => '{"data": {}}'"#, "data and apns.data are both given / "),
        (#"'a', 'b', apns => '{"data": {"aps": 1}}'"#, "apns.data holds \"aps\" or \"action\" / "),
        (#"'a', 'b', apns => '{"data": [1]}'"#, "apns.data is of type array / "),
        (
            #"'a', 'b', urgent => true, apns => '{"interruption_level": "passive"}'"#,
            "apns.interruption_level is not time-sensitive, and urgent is true / "
        ),
        (#"'a', '', apns => '{"content_available": true}'"#, "title is given with apns.content_available / "),
        (
            #"'', '', apns => '{"content_available": true, "badge": 1}'"#,
            "apns.badge is given with apns.content_available / "
        ),
        (
            "'a', 'b', apns => jsonb_build_object('subtitle', repeat('x', 4100))",
            "the payload has 4202 bytes / Apple accepts 4096 bytes for the whole payload. Shorten apns."
        ),
        (
            "'a', repeat('x', 4096)",
            "the payload has 4183 bytes / Apple accepts 4096 bytes for the whole payload. Shorten body."
        ),
    ]) func apns_whenItIsBad_isRefusedByItsName(arguments: String, refusal: String) async throws {
        let fixture = try await F()
        let refused = try fixture.refusal(send(arguments))
        #expect(refused.hasPrefix("22023 nudged_api.send: " + refusal), "\(refused)")
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        await fixture.close()
    }

    @Test(arguments: [
        (#"'t', 'b', '{"interruption_level": "time-sensitive"}'"#, "template_apns"),
        (#"'t', 'b', '{"content_available": true}'"#, "template_apns"),
        (#"'t', 'b', '{"data": {"domain": "x"}}'"#, "template_apns"),
        (#"'t', 'b', '{"loc_key": "K"}'"#, "template_words"),
        ("'t', 'b', jsonb_build_object('subtitle', repeat('x', 4100))", "template_payload"),
    ]) func template_whenItsApnsIsBad_isRefused(values: String, constraint: String) async throws {
        let fixture = try await F()
        #expect(
            try fixture.sql(
                """
                do $do$
                declare broken text;
                begin
                    insert into nudged.template (title, body, apns) values (\(values));
                exception when check_violation then
                    get stacked diagnostics broken = constraint_name;
                    perform set_config('test.broken', broken, false);
                end $do$;
                select current_setting('test.broken', true)
                """
            ) == constraint
        )
        await fixture.close()
    }

    @Test func template_whenItHasApns_isReadInParts() async throws {
        let fixture = try await F()
        try fixture.sql(
            #"insert into nudged.template (title, body, apns) values ('t', 'b', '{"badge": 1, "data": {"x": 1.50}, "sound": null}')"#
        )
        let template = try #require(try await fixture.store.templates().first { $0.title == "t" })
        #expect(template.apns == #"{"badge": 1}"# && template.data == #"{"x": 1.50}"#)
        await fixture.close()
    }

    /// What was given once is in each time of a series, after a snooze, and for each member.
    @Test func reminder_whenItHasApns_keepsItThroughItsSeries() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            select nudged_api.set_reminder('task', '7', \(F.quoted(1)), 'Water', '', due_at => now() + interval '1 hour', recurrence => 'FREQ=DAILY',
                apns => '{"badge": 2, "data": {"conversation_id": "00000000-0000-0000-0000-0000000000ab", "x": 1}}')
            """
        )
        try fixture.sql(
            "select nudged_api.snooze((select id from nudged.reminder), now() + interval '2 hours')"
        )
        #expect(try fixture.sql("select apns ->> 'badge' from nudged.occurrence") == "2")
        await fixture.close()
    }
}
