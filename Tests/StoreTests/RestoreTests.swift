import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged after-restore`, statement by statement.
@Suite(.ownThreads) struct RestoreTests {
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
        let fixture = try await F.withUsers(1...7)
        try fixture.sql(
            """
            insert into nudged.person (user_id, due_at) values ('\(Self.zero.uuidString)', '2030-01-01');
            update nudged.person set due_at = '2030-01-01', retry = '{"slot": "2026-11-20", "left": [{"device": "aa"}, {"device": "bb"}, 7]}';
            update nudged.person set since = '2026-11-25', touched_at = '2026-11-25' where user_id = \(F.quoted(7))
            """
        )
        #expect(try await restoreAll(fixture, limit: limit) == 8)
        try fixture.expect(
            "select count(*) from nudged.person where version >> 32 = 1 and due_at = '\(Self.at)' and since = '\(Self.at)' and touched_at = since and retry is null",
            "7"
        )
        // What was left of a nudge is nobody's any more, and says so; a hand's dates stop nothing.
        try fixture.expect(
            "select count(*) from nudged.delivery where outcome = 'skipped' and reason = 'restored' and slot = '2026-11-20' and key = slot::text",
            "16"
        )
        try fixture.sql(
            "update nudged.person set retry = '{\"slot\": \"2026-02-31\", \"left\": [{\"device\": \"cc\"}]}' where user_id = \(F.quoted(1)); update nudged.person set retry = '[1]' where user_id = \(F.quoted(2))"
        )
        #expect(try await restoreAll(fixture, limit: limit) == 8)
        #expect(try fixture.sql("select slot from nudged.delivery where device_hash = 'cc'") == "2026-03-03")
        // What is later already stays.
        try fixture.expect("select count(*) from nudged.person where since = '2026-11-25' and touched_at = since", "1")
    }

    /// A daemon that runs through it keeps its member, and its settlement neither takes `since` back nor forgets that the user is due.
    @Test func settlement_whenItsUserWasRestoredMeanwhile_doesNotTakeItBack() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        _ = try await fixture.store.commit(F.intent([users[0]], member: member))
        #expect(try await restoreAll(fixture, limit: 100) == 2)
        // Nothing is sent of an intent that was decided before.
        let late = try await fixture.store.commit(F.intent([users[1]], member: member))
        #expect(late.touched == [F.user(2)])
        let settled = try await fixture.store.settle(Settlement(member, [F.change(users[0], F.record(users[0]))]))
        #expect(settled.settled.count == 1)
        try fixture.expect(
            "select count(*) from nudged.person where since = '\(Self.at)' and touched_at = since and due_at <= '\(Self.at)'",
            "2"
        )
        #expect(try fixture.sql("select outcome from nudged.delivery") == "accepted")
    }

    @Test func intents_whenTheBackupHadThem_areUnknownUnlessTheirLeaseLives() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
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
    }

    /// A user with only a touch in the backup would be new to the next drain, and get today's slot.
    @Test func touches_whenTheBackupHasThem_makeUsersWithoutAPast() async throws {
        let fixture = try await F.withUsers(1...3)
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
        #expect(try fixture.sql("select count(*) from nudged.touched where at < '\(Self.at)'") == "0")
        try fixture.expect("select count(*) from nudged.person where since = '\(Self.at)' and touched_at = since", "3")
    }

    // MARK: The dry run

    /// All that the dry run counts, page by page.
    private struct Preview: Equatable {
        var messages = DroppedRows()
        var reminders = DroppedRows()
        var newcomers = 0
    }

    private func preview(_ fixture: F, now: Instant, limit: Int) async throws -> Preview {
        var preview = Preview()
        var next: UUID? = Store.firstUser
        while let user = next {
            let page = try await fixture.store.restorableMessages(from: user, now: now, limit: limit)
            preview.messages += page.dropped
            next = page.next
        }
        next = Store.firstUser
        while let user = next {
            let page = try await fixture.store.restorableReminders(from: user, now: now, limit: limit)
            preview.reminders += page.dropped
            next = page.next
        }
        next = Store.firstUser
        while let user = next {
            let page = try await fixture.store.countNewcomers(from: user, limit: limit)
            preview.newcomers += page.users
            next = page.next
        }
        return preview
    }

    /// User 9 has a message and no row yet. A wall time has passed everywhere, may have passed, or has not.
    @Test(arguments: [1, 2, 100]) func preview_whateverThePage_countsWhatTheRestoreDrops(limit: Int) async throws {
        let fixture = try await F.withUsers(1...4)
        for user in [1, 1, 2, 4, 9] { _ = try fixture.sendMessage(user) }
        try fixture.sql(
            """
            update nudged.message set created_at = case right(user_id::text, 1)
                when '1' then '2026-11-20 10:00Z' when '2' then '2026-11-20 11:00Z' when '4' then '2026-11-20 12:00Z'
                else '2026-11-20 11:30Z' end::timestamptz;
            update nudged.touched set at = '2026-11-20 11:00Z'
            """
        )
        try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        try fixture.insertReminder(1, "null, '2026-11-19 23:59:59'", subject: "8", more: (", is_fan_out", ", true"))
        try fixture.insertReminder(2, "null, '2026-11-20 00:00'")
        try fixture.insertReminder(2, "null, '2026-11-21 01:59'", subject: "8")
        try fixture.insertReminder(3, "null, '2026-11-21 02:00'")
        try fixture.insertReminder(3, "'2026-11-20 12:00Z', null", subject: "8")
        let before = try fixture.sql("select count(*), count(restored_at) from nudged.occurrence")
        let found = try await preview(fixture, now: F.now, limit: limit)
        #expect(found.messages == DroppedRows(count: 4, users: 3, oldest: F.now - 7200, newest: F.now - 1800))
        #expect(
            found.reminders
                == DroppedRows(count: 2, users: 1, oldest: F.now - 43_201, newest: F.now - 3600, fanOuts: 1, perhaps: 2)
        )
        #expect(found.newcomers == 1)
        // It has changed nothing.
        #expect(try fixture.sql("select count(*), count(restored_at) from nudged.occurrence") == before)
        #expect(try fixture.sql("select count(*) from nudged.message") == "5")
        #expect(try fixture.sql("select count(*) from nudged.touched") != "0")
        // What is done then is the same.
        while try await fixture.store.restoreTouches(before: F.now, limit: 100) {}
        var done = Preview()
        var users = 0
        var next: UUID? = Store.firstUser
        while let user = next {
            let page = try await fixture.store.restoreUsers(from: user, now: F.now, limit: limit)
            users += page.users
            done.messages += page.messages
            done.reminders += page.reminders
            next = page.next
        }
        #expect(users == 5)
        #expect(done.messages == found.messages && done.reminders == found.reminders)
        #expect(try await preview(fixture, now: F.now, limit: limit).messages == DroppedRows())
    }

    /// Tables that are locked against writers are read all the same.
    @Test func preview_whenRowsAreLocked_doesNotWait() async throws {
        let fixture = try await F.withUsers(1...1)
        _ = try fixture.sendMessage(1)
        try await fixture.holding("lock nudged.message, nudged.occurrence, nudged.touched in exclusive mode") {
            let later = F.now + 3_000_000_000
            let found = try await preview(fixture, now: later, limit: 9)
            #expect(found.messages.count == 1)
        }
    }

    @Test func pushes_whenTheirLeaseHasEnded_areCounted() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        let alive = try await fixture.member()
        for (index, user) in users.enumerated() {
            _ = try await fixture.store.commit(F.intent([user], member: index < 2 ? member : alive))
        }
        #expect(try await fixture.store.restorablePushes() == 0)
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(member)'")
        #expect(try await fixture.store.restorablePushes() == 2)
        try fixture.die()
        #expect(try await fixture.store.restorablePushes() == 3)
    }

    @Test func daemons_whenTheirLeaseHasNotEnded_areAlive() async throws {
        let fixture = try await F()
        #expect(try await fixture.store.livingDaemons().isEmpty)
        let (known, new, dead) = (UUID(), UUID(), UUID())
        try await fixture.store.heartbeat(F.beat(known))
        // Twice a member for a moment: it gives up ranges.
        _ = try await fixture.member(30_000, id: known)
        _ = try await fixture.member(60_000, id: known)
        _ = try await fixture.member(id: new)
        let gone = try await fixture.member(id: dead)
        try fixture.sql(
            """
            update nudged.lease l set alive_until = 'infinity' from nudged.member m
            where m.id = l.member and m.daemon_id = '\(new)';
            update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(gone)'
            """
        )
        let found = try await fixture.store.livingDaemons()
        #expect(Set(found.map(\.id)) == [known, new])
        let first = try #require(found.first(where: { $0.id == known }))
        #expect(first.host == "web-1" && first.pid == 42 && (30_001...60_000).contains(first.leaseMilliseconds))
        let second = try #require(found.first(where: { $0.id == new }))
        #expect(second.host == nil && second.pid == nil && second.leaseMilliseconds > 600_000)
    }
}
