import Testing

@testable import Core

/// The argument `apns` of the calls, and the column of templates: what is taken and read. `CallTranscriptTests` has what is refused.
@Suite(.ownThreads) struct MessageOptionsTests {
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
            select nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'Water', '', due_at => now() + interval '1 hour', recurrence => 'FREQ=DAILY',
                apns => '{"badge": 2, "data": {"conversation_id": "00000000-0000-0000-0000-0000000000ab", "x": 1}}')
            """
        )
        try fixture.sql(
            "select nudged_api.snooze_reminder(null, (select id from nudged.reminder), now() + interval '2 hours')"
        )
        #expect(try fixture.sql("select apns ->> 'badge' from nudged.occurrence") == "2")
        await fixture.close()
    }
}
