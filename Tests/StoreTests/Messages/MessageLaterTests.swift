import TestSupport
import Testing
import TimeZones

@testable import Core

/// Messages for a later time, in calls, drains and claims.
@Suite(.ownThreads) struct MessageLaterTests {
    /// What can be due is read. Of the others, a claim says only when to look again.
    @Test func claim_whenMessagesAreForLater_readsThoseThatCanBeDue() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, title, body, deliver_at, deliver_local) values
                (\(F.quoted(1)), gen_random_uuid(), 'due', '', '2026-11-20 11:00Z', null),
                (\(F.quoted(1)), gen_random_uuid(), 'wall', '', null, '2026-11-21 02:00'),
                (\(F.quoted(1)), gen_random_uuid(), 'later', '', '2026-11-20 14:00Z', null),
                (\(F.quoted(1)), gen_random_uuid(), 'latest', '', null, '2026-11-21 05:00')
            """
        )
        let user = try #require(try await fixture.claim().first)
        #expect(Set(user.messages.map(\.title)) == ["due", "wall"] && !user.hasMoreMessages)
        #expect(user.messagesWakeAt == Instant(rfc3339: "2026-11-20T14:00:00Z"))
    }

    /// Thousands for later cost a claim no more than one, and displace nothing that is due.
    @Test func claim_whenThousandsAreForLater_readsTheDueOnesAndTheNext() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, created_at, title, body, deliver_at)
            select \(F.quoted(1)), gen_random_uuid(), '2026-01-01Z', 't' || n, '', timestamptz '2026-11-20 12:00:01Z' + n * interval '1 minute'
            from generate_series(0, 4999) n;
            insert into nudged.message (user_id, id, title, body) values (\(F.quoted(1)), gen_random_uuid(), 'now', '')
            """
        )
        let user = try #require(try await fixture.claim().first { $0.userID == F.user(1) })
        #expect(user.messages.map(\.title) == ["now"] && !user.hasMoreMessages)
        #expect(user.messagesWakeAt == Instant(rfc3339: "2026-11-20T12:00:01Z"))
    }

    /// What was to come after the restore was not sent before it.
    @Test func restore_whenAMessageIsForLater_keepsIt() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, created_at, title, body, deliver_at) values
                (\(F.quoted(1)), gen_random_uuid(), '2026-11-01Z', 'past', '', '2026-11-20 11:00Z'),
                (\(F.quoted(1)), gen_random_uuid(), '2026-11-01Z', 'later', '', '2026-11-20 13:00Z')
            """
        )
        let page = try await fixture.store.restoreUsers(from: F.user(1), now: F.now, limit: 10)
        #expect(page.messages.count == 1)
        #expect(try fixture.lines("select title from nudged.message") == ["later"])
    }
}
