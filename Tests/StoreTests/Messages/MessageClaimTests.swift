import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Messages as a drain and a claim find them.
@Suite(.ownThreads) struct MessageClaimTests {
    @Test func claim_whenMessagesWait_bringsThem() async throws {
        let fixture = try await F.withUsers(1...3)
        let first = try fixture.sendMessage(
            2,
            more:
                #", data => '{"conversation_id": "00000000-0000-0000-0000-0000000000ab", "n": 1.50}', thread_id => 't', collapse_key => 'k'"#
        )
        let second = try fixture.sendMessage(2, "Bye", more: ", urgent => true, expires_at => '2099-01-01Z'")
        try await fixture.drain()
        // The user of an urgent message comes alone, and first.
        var users = try await fixture.claim()
        #expect(users.map(\.userID) == [F.user(2)])
        users += try await fixture.claim(inHand: Set(users.map(\.userID)))
        let messages = Dictionary(uniqueKeysWithValues: users.map { ($0.userID, $0.messages) })
        #expect(messages[F.user(1)] == [] && messages[F.user(3)] == [])
        let both = try #require(messages[F.user(2)]).sorted { $0.createdAt < $1.createdAt || $0.title > $1.title }
        let one = try #require(both.first { $0.id == first })
        #expect(one.title == "Hi" && one.body == "there" && one.data == #"{"n": 1.50}"# && one.threadID == "t")
        #expect(one.conversationID == "00000000-0000-0000-0000-0000000000ab" && one.collapseKey == "k" && !one.urgent)
        let other = try #require(both.first { $0.id == second })
        #expect(other.urgent && other.data == nil && other.expiresAt == Instant(rfc3339: "2099-01-01T00:00:00Z"))
        #expect(users.allSatisfy { !$0.hasMoreMessages })
    }

    /// Nobody has a profile or a device of theirs: the message is theirs all the same, and ends in the record.
    @Test func claim_whenTheAppKnowsNothingElse_bringsTheUser() async throws {
        let fixture = try await F()
        let id = try fixture.sendMessage(7)
        try await fixture.drain()
        let users = try await fixture.claim()
        #expect(users.map(\.userID) == [F.user(7)] && users.first?.messages.map(\.id) == [id])
    }

    @Test func claim_whenSomebodyHasThousandsWaiting_isBoundedAndSaysSo() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, created_at, title, body, urgent)
            select \(F.quoted(1)), gen_random_uuid(), now() - n * interval '1 second', 't' || n, '', n = 7 from generate_series(1, 5000) n;
            """
        )
        let id = try fixture.sendMessage(2)
        try await fixture.drain()
        let users = try await fixture.claim()
        let loaded = try #require(users.first { $0.userID == F.user(1) })
        #expect(loaded.hasMoreMessages && loaded.messages.count < 2500 && loaded.messages.first?.urgent == true)
        #expect(loaded.messages.dropFirst().first?.title == "t5000", "then the oldest")
        let other = try #require(users.first { $0.userID == F.user(2) })
        #expect(other.messages.map(\.id) == [id] && !other.hasMoreMessages)
    }

    /// An urgent message goes before everyone who is merely due, wherever the walk stands.
    @Test func claim_whenAMessageIsUrgent_bringsItsUserFirst() async throws {
        let fixture = try await F.withUsers(1...200)
        // In the midst of a walk over a backlog.
        #expect(try await fixture.claim(10).count == 10)
        _ = try fixture.sendMessage(150)
        _ = try fixture.sendMessage(199, more: ", urgent => true")
        try await fixture.drain()
        // Whatever the first look cost on a loaded machine.
        fixture.store.claiming.with { $0.express = ExpressPace() }
        let users = try await fixture.claim(10, startingOver: false)
        #expect(users.map(\.userID) == [F.user(199)])
    }
}
