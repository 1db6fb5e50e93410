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
    }

    /// By each call that takes a message, and by a claim of a user with unusually many.
    @Test func texts_whenGiven_areReadWithTheMessage() async throws {
        let fixture = try await F()
        let texts = #"{"de": {"title": "Hallo"}, "pt-BR": {"body": "Oi"}}"#
        try fixture.sql(
            """
            select nudged_api.send(\(F.quoted(1)), 'a', 'b', texts => '\(texts)');
            select nudged_api.send_many(array[\(F.quoted(2))]::uuid[], 'a', 'b', texts => '\(texts)');
            select nudged_api.send_many(jsonb_build_array(jsonb_build_object(
                'user_id', \(F.quoted(3)), 'title', 'a', 'texts', '\(texts)'::jsonb)));
            select nudged_api.send(\(F.quoted(4)), 'a', 'b', texts => '{}');
            """
        )
        try await fixture.drain()
        let users = try await fixture.claim().sorted { $0.userID.uuidString < $1.userID.uuidString }
        #expect(users.flatMap(\.messages).map(\.texts) == [texts, texts, texts, nil])
        try fixture.sql(
            "insert into nudged.message (user_id, id, title, body, texts) select \(F.quoted(5)), gen_random_uuid(), 'a', 'b', '\(texts)' from generate_series(1, 5000)"
        )
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(5)))")
        try await fixture.drain()
        let many = try await fixture.claim().first { $0.userID == F.user(5) }
        #expect(many?.messages.count == 2000 && many?.messages.allSatisfy { $0.texts == texts } == true)
    }

    @Test func template_whenItHasApns_isReadInParts() async throws {
        let fixture = try await F()
        try fixture.sql(
            #"insert into nudged.template (title, body, apns) values ('t', 'b', '{"badge": 1, "data": {"x": 1.50}, "sound": null}')"#
        )
        let template = try #require(try await fixture.store.templates().first { $0.title == "t" })
        #expect(template.apns == #"{"badge": 1}"# && template.data == #"{"x": 1.50}"#)
    }
}
