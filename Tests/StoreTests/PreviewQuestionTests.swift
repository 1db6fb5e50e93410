import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged.preview`: what a call leaves, who reads it, and how long it stays.
@Suite(.ownThreads) struct PreviewQuestionTests {
    private func ask(_ fixture: F, _ user: Int, _ more: String = "") throws -> String {
        try fixture.sql("select nudged_api.preview(\(F.quoted(user)), 'Ann', 'Hello.'\(more))")
    }

    /// The id of a user's newest question.
    private func id(_ fixture: F, _ user: Int) throws -> String {
        try fixture.sql(
            "select id from nudged.preview where user_id = \(F.quoted(user)) order by asked_at desc limit 1"
        )
    }

    private func open(_ fixture: F, inHand: Set<UUID> = []) async throws -> [PreviewQuestion] {
        try await fixture.store.openPreviews(ranges: F.ranges, inHand: inHand, limit: 100)
    }

    /// Questions of many users, one each.
    private func leaveQuestions(_ fixture: F, _ count: Int) throws {
        try fixture.sql(
            "insert into nudged.preview (user_id, id, title, body) select gen_random_uuid(), gen_random_uuid(), 'a', 'b' from generate_series(1, \(count))"
        )
    }

    @Test func question_whenAsked_isAnsweredOnce() async throws {
        let fixture = try await F()
        let more = ", urgent => true, data => '{\"conversation_id\": null, \"a\": 1}'"
        #expect(try ask(fixture, 1, more).isEmpty)
        let id = try id(fixture, 1)
        let found = try await open(fixture)
        let question = try #require(found.first)
        #expect(found.count == 1 && question.userID == F.user(1) && question.message.urgent)
        #expect(question.message.id.uuidString.lowercased() == id && question.message.title == "Ann")
        #expect(try await open(fixture, inHand: [question.message.id]).isEmpty)
        #expect(try ask(fixture, 1, more).isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.preview") == "1", "the same question")
        try await fixture.store.answer(question, #"{"action": "send"}"#)
        try await fixture.store.answer(question, #"{"action": "drop"}"#)
        #expect(try await open(fixture).isEmpty)
        #expect(try ask(fixture, 1, ", urgent => true").isEmpty, "another question")
        #expect(try ask(fixture, 1, more) == #"{"action": "send"}"#)
        // Asked again, it is a new question: the user may have changed meanwhile.
        #expect(try ask(fixture, 1, more).isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.preview") == "3")
        // Nothing is sent or counted.
        try fixture.expect("select (select count(*) from nudged.message) + (select count(*) from nudged.touched)", "0")
    }

    @Test func question_whenNobodyWaitsAnyMore_isNeitherReadNorKept() async throws {
        let fixture = try await F()
        _ = try ask(fixture, 1)
        let answered = try id(fixture, 1)
        _ = try ask(fixture, 2)
        let question = try #require(try await open(fixture).first { $0.message.id == UUID(uuidString: answered) })
        try await fixture.store.answer(question, "{}")
        func left(after seconds: Int) async throws -> [String] {
            try fixture.sql("update nudged.preview set asked_at = clock_timestamp() - interval '\(seconds) seconds'")
            try await fixture.store.prunePreviews()
            return try fixture.lines("select right(user_id::text, 1) from nudged.preview order by user_id")
        }
        #expect(try await left(after: 30) == ["1", "2"])
        #expect(try await open(fixture).count == 1)
        try fixture.sql("update nudged.preview set asked_at = clock_timestamp() - interval '61 seconds'")
        #expect(try await open(fixture).isEmpty)
        #expect(try await left(after: 240) == ["1"])
        #expect(try await left(after: 301) == [])
    }

    /// Users' questions don't keep a backend from asking.
    @Test func call_whenUsersAskTooMuch_isLeftToBackends() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try leaveQuestions(fixture, 499)
        func own(_ title: String) -> String {
            "set request.jwt.claim.sub = \(F.quoted(1)); set role authenticated; select nudged_me.preview('\(title)', 'b')"
        }
        #expect(try fixture.sql(own("a")) == "")
        #expect(try fixture.refusal(own("b")).hasPrefix("ND031 nudged_me.preview: "))
        _ = try ask(fixture, 1)
    }

    @Test func call_whenAThousandWait_isRefusedUntilOneIsAnswered() async throws {
        let fixture = try await F()
        try leaveQuestions(fixture, 999)
        _ = try ask(fixture, 1)
        let call = "select nudged_api.preview(\(F.quoted(2)), 'a', 'b')"
        #expect(try fixture.refusal(call).hasPrefix("ND031 nudged_api.preview: 1000 previews wait"))
        let question = try #require(try await open(fixture).first)
        try await fixture.store.answer(question, "{}")
        #expect(try fixture.refusal(call) == "")
    }

    @Test func call_whenAUserHadTen_isRefusedUntilTheyAreOld() async throws {
        let fixture = try await F()
        for number in 0..<10 { _ = try ask(fixture, 1, ", category => 'c\(number)'") }
        let call = "select nudged_api.preview(\(F.quoted(1)), 'a', 'b')"
        #expect(try fixture.refusal(call).hasPrefix("ND030 nudged_api.preview: "))
        _ = try ask(fixture, 2)
        try fixture.sql("update nudged.preview set asked_at = asked_at - interval '6 minutes'")
        _ = try ask(fixture, 1)
    }
}
