import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Reminders as a claim brings them.
@Suite(.ownThreads) struct ReminderClaimTests {
    /// Users who are due, with nothing but what a test gives them.
    private func fixture(_ users: ClosedRange<Int> = 1...3) async throws -> F {
        let fixture = try await F.withUsers(users)
        return fixture
    }

    @Test func claim_whenHoursCame_bringsThemAndWhenTheNextComes() async throws {
        let fixture = try await fixture()
        let due = try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        let wall = try fixture.insertReminder(

            1,
            "null, '2026-11-20 20:00'",
            subject: "8",
            more: (
                ", timezone, recurrence, number, first_local, planned_local, restored_at",
                ", 'Asia/Tokyo', 'FREQ=DAILY', 3, '2026-11-18 20:00', '2026-11-20 20:00', '2026-11-19 00:00Z'"
            )
        )
        try fixture.insertReminder(1, "'2026-11-20 12:30Z', null", subject: "9")
        try fixture.insertReminder(1, "null, '2026-11-21 02:15'", subject: "10")
        // A fan-out's reminder belongs to no user.
        try fixture.insertReminder(2, "'2026-11-20 11:00Z', null", more: (", is_fan_out", ", true"))
        let users = Dictionary(uniqueKeysWithValues: try await fixture.claim().map { ($0.userID, $0.reminders) })
        let mine = try #require(users[F.user(1)])
        #expect(Set(mine.all.map(\.id)) == [due, wall] && !mine.isPartial)
        // The second was asked for at 12:15 at the earliest.
        #expect(mine.wakesAt == Instant(rfc3339: "2026-11-20T12:15:00Z"))
        #expect(users[F.user(2)]?.isEmpty == true && users[F.user(3)]?.isEmpty == true)
        let one = try #require(mine.all.first { $0.id == due })
        #expect(one.due == .at(F.now - 3600) && one.title == "Water" && one.body == "the plants" && one.isOwn)
        #expect(one.subjectType == "task" && one.subjectID == "7" && one.authorID == F.user(1) && one.series == nil)
        #expect(!one.isCancelled && one.timezone == nil && one.restoredAt == nil)
        let other = try #require(mine.all.first { $0.id == wall })
        let evening = LocalDateTime(iso: "2026-11-20T20:00:00")
        #expect(other.due == evening.map(PendingReminder.Due.local) && other.timezone == "Asia/Tokyo")
        #expect(other.series?.number == 3 && other.series?.planned == evening && other.series?.rule == "FREQ=DAILY")
        #expect(other.series?.first == LocalDateTime(iso: "2026-11-18T20:00:00").map(PendingReminder.Due.local))
        #expect(other.restoredAt == Instant(rfc3339: "2026-11-19T00:00:00Z") && other.wakesAt == F.now - 21_600)
    }

    @Test func claim_whenAReminderDoesNotLive_saysSo() async throws {
        let fixture = try await fixture()
        let dead = try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        let living = try fixture.insertReminder(2, "'2026-11-20 11:00Z', null")
        // Replaced: the author's word is another now.
        try fixture.sql("update nudged.reminder set id = gen_random_uuid() where user_id = \(F.quoted(1))")
        let all = try await fixture.claim().flatMap(\.reminders.all)
        #expect(all.first { $0.id == dead }?.isCancelled == true)
        #expect(all.first { $0.id == living }?.isCancelled == false)
    }

    @Test func claim_whenSomebodyHasHundredsAtOnce_isBoundedAndSaysSo() async throws {
        let fixture = try await fixture()
        try fixture.sql(
            """
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, is_own, due_at)
            select \(F.quoted(1)), gen_random_uuid(), \(F.quoted(1)), 'task', n::text, 'x', '', true, '2026-11-20 11:00Z'::timestamptz - n * interval '1 second'
            from generate_series(1, 1000) n
            """
        )
        let mine = try #require(try await fixture.claim().first { $0.userID == F.user(1) }).reminders
        #expect(mine.all.count == 200 && mine.isPartial && mine.wakesAt == nil)
        #expect(mine.all.map(\.subjectID).contains("1000"), "the oldest first")
    }

    /// A wall time is looked at up to 26 hours before it is due: however many wait for theirs, what is due now comes.
    @Test func claim_whenWallTimesAreMany_bringsTheInstantsBesideThem() async throws {
        let fixture = try await fixture()
        try fixture.sql(
            """
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, is_own, due_local)
            select \(F.quoted(1)), gen_random_uuid(), \(F.quoted(1)), 'task', 'wall ' || n, 'x', '', true, timestamp '2026-11-20 20:00' - n * interval '1 second'
            from generate_series(1, 250) n
            """
        )
        let due = try fixture.insertReminder(1, "'2026-11-20 11:59Z', null")
        let mine = try #require(try await fixture.claim().first { $0.userID == F.user(1) }).reminders
        #expect(mine.all.contains { $0.id == due } && mine.isPartial)
        #expect(mine.all.count == 201)
    }

    /// What a hand wrote: hours of no calendar are never, or long ago, and nobody else's claim hears of them.
    @Test(arguments: ["infinity", "294276-12-31 23:59:59.999999", "-infinity", "4713-01-01 BC"], [true, false])
    func claim_whenAnHourIsOfNoCalendar_harmsItsOwnRow(hour: String, isInstant: Bool) async throws {
        let fixture = try await fixture()
        let odd = try fixture.insertReminder(
            1,
            isInstant ? "'\(hour)', null" : "null, '\(hour)'",
            more: (
                ", recurrence, first_at, restored_at, planned_local", ", 'FREQ=DAILY', '\(hour)', '\(hour)', '\(hour)'"
            )
        )
        let own = try fixture.insertReminder(1, "'2026-11-20 11:00Z', null", subject: "8")
        let other = try fixture.insertReminder(2, "'2026-11-20 11:00Z', null", subject: "9")
        let users = Dictionary(uniqueKeysWithValues: try await fixture.claim().map { ($0.userID, $0.reminders) })
        let isNever = !hour.hasPrefix("-") && !hour.hasSuffix("BC")
        let mine = try #require(users[F.user(1)])
        #expect(Set(mine.all.map(\.id)) == (isNever ? [own] : [odd, own]))
        #expect(mine.wakesAt == nil || mine.wakesAt.map { $0 > F.now + 86_400 * 365 } == true)
        #expect(users[F.user(2)]?.all.map(\.id) == [other])
        // Everyone's, too.
        try fixture.sql("update nudged.occurrence set is_fan_out = true")
        let fanOuts = try await fixture.store.dueFanOuts(now: F.now, except: [], limit: 9)
        #expect(Set(fanOuts.map(\.reminder.id)) == (isNever ? [own, other] : [odd, own, other]))
    }

    /// A user unknown to the app, whose id is in the view of members.
    @Test func drain_whenSomebodyHasAReminderOnly_makesTheirRow() async throws {
        let fixture = try await F()
        try fixture.insertReminder(7, "'2026-11-20 11:00Z', null")
        try fixture.sql("truncate nudged.person; insert into nudged.touched (user_id) values (\(F.quoted(7)))")
        #expect(try await fixture.drain() == 1)
        let drained = try await fixture.store.reading { reader in try await reader.user(F.user(7), now: F.now) }
        #expect(drained?.user.reminders.all.count == 1 && drained?.isNew == false)
        // Before the drain, too.
        try fixture.sql("truncate nudged.person; insert into nudged.touched (user_id) values (\(F.quoted(7)))")
        let read = try await fixture.store.reading { reader in try await reader.user(F.user(7), now: F.now) }
        #expect(read?.isNew == true && read?.user.reminders.all.count == 1)
    }
}
