import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// `nudged recover`, statement by statement.
@Suite(.ownThreads) struct RestoreTests {
    typealias F = StoreFixture

    private static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    private static let at = "2026-11-20 12:00Z"

    private func restoreAll(_ fixture: F, limit: Int) async throws -> Int {
        var users = 0
        var next: UUID? = Self.zero
        while let user = next {
            let page = try await fixture.store.restoreUsers(from: user, now: F.now, limit: limit)
            users += page.users
            next = page.next
        }
        return users
    }

    @Test(arguments: [1, 2, 3, 7, 100]) func users_whenRestored_areEachReachedOnce(limit: Int) async throws {
        let fixture = try await F()
        try fixture.seed(1...7)
        try fixture.sql(
            """
            insert into nudged.person (user_id, due_at) values ('\(Self.zero.uuidString)', '2030-01-01');
            update nudged.person set due_at = '2030-01-01', retry = '{"slot": "2026-11-20", "left": [{"device": "aa"}, {"device": "bb"}, 7]}';
            update nudged.person set since = '2026-11-25', touched_at = '2026-11-25' where user_id = \(F.quoted(7))
            """
        )
        #expect(try await restoreAll(fixture, limit: limit) == 8)
        #expect(
            try fixture.sql(
                "select count(*) from nudged.person where version >> 32 = 1 and due_at = '\(Self.at)' and since = '\(Self.at)' and touched_at = since and retry is null"
            ) == "7"
        )
        // What was left of a nudge is nobody's any more, and says so; a hand's dates stop nothing.
        #expect(
            try fixture.sql(
                "select count(*) from nudged.delivery where outcome = 'skipped' and reason = 'restored' and slot = '2026-11-20' and key = slot::text"
            ) == "16"
        )
        try fixture.sql(
            "update nudged.person set retry = '{\"slot\": \"2026-02-31\", \"left\": [{\"device\": \"cc\"}]}' where user_id = \(F.quoted(1)); update nudged.person set retry = '[1]' where user_id = \(F.quoted(2))"
        )
        #expect(try await restoreAll(fixture, limit: limit) == 8)
        #expect(try fixture.sql("select slot from nudged.delivery where device_hash = 'cc'") == "2026-03-03")
        // What is later already stays.
        #expect(
            try fixture.sql("select count(*) from nudged.person where since = '2026-11-25' and touched_at = since")
                == "1"
        )
        await fixture.close()
    }

    /// A daemon that runs through it keeps its member, and its settlement neither takes `since` back nor forgets that the user is due.
    @Test func settlement_whenItsUserWasRestoredMeanwhile_doesNotTakeItBack() async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        let member = try await fixture.member()
        let users = try await fixture.claim()
        _ = try await fixture.store.commit(F.intent([users[0]], member: member))
        #expect(try await restoreAll(fixture, limit: 100) == 2)
        // Neither is an intent committed that was decided before.
        let late = try await fixture.store.commit(F.intent([users[1]], member: member))
        #expect(late.kept.isEmpty)
        let settled = try await fixture.store.settle(
            Settlement(
                member: member,
                sweepID: UUID(),
                updates: [F.update(users[0])],
                records: [F.record(users[0])]
            )
        )
        #expect(settled.usersSettled == 1)
        #expect(
            try fixture.sql(
                "select count(*) from nudged.person where since = '\(Self.at)' and touched_at = since and due_at <= '\(Self.at)'"
            ) == "2"
        )
        #expect(try fixture.sql("select outcome from nudged.delivery") == "accepted")
        await fixture.close()
    }

    @Test func intents_whenTheBackupHadThem_areUnknownUnlessTheirLeaseLives() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let alive = try await fixture.member()
        for (index, user) in users.enumerated() {
            _ = try await fixture.store.commit(F.intent([user], member: index < 2 ? member : alive))
        }
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(member)'")
        #expect(try await fixture.store.restoreIntents(limit: 1) == .init(intents: 1, pushes: 1))
        #expect(try await fixture.store.restoreIntents(limit: 9) == .init(intents: 1, pushes: 1))
        #expect(try await fixture.store.restoreIntents(limit: 9) == .init())
        #expect(try fixture.sql("select distinct outcome, reason from nudged.delivery") == "unknown|restored")
        #expect(try fixture.lines("select member from nudged.intent") == [alive.uuidString.lowercased()])
        await fixture.close()
    }

    /// A user with only a touch in the backup would be new to the next drain, and get today's slot.
    @Test func touches_whenTheBackupHasThem_makeUsersWithoutAPast() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        try fixture.sql(
            """
            delete from nudged.person where user_id = \(F.quoted(3));
            insert into nudged.touched (user_id, at) select user_id, '2026-11-19' from public.context_profiles, generate_series(1, 3);
            insert into nudged.touched (user_id, at) values (\(F.quoted(1)), '2026-11-21')
            """
        )
        var rounds = 0
        while try await fixture.store.restoreTouches(before: F.now, limit: 4) { rounds += 1 }
        #expect(rounds == 3)
        #expect(try fixture.sql("select count(*) from nudged.touched") == "1")
        #expect(
            try fixture.sql(
                "select count(*) from nudged.person where since = '\(Self.at)' and touched_at = since"
            ) == "3"
        )
        await fixture.close()
    }
}
