import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Reminders on their way through intent, outcome, recovery, restore and erasure.
@Suite(.ownThreads) struct ReminderTurnTests {
    /// Users who are due, with nothing but what a test gives them.
    private func fixture(_ users: ClosedRange<Int> = 1...3) async throws -> F {
        let fixture = try await F.withUsers(users)
        return fixture
    }

    private func intent(_ users: [ClaimedUser], member: UUID, retry: String? = nil) -> Intent {
        F.intent(
            member,
            users.map { user in
                let records = user.reminders.all.map { reminder in
                    F.messageRecord(user, reminder.id, kind: "reminder")
                }
                return F.announced(user, records, retry: retry)
            },
            messages: users.flatMap { user in
                user.reminders.all.map { MessageReference(userID: user.userID, id: $0.id) }
            }
        )
    }

    // MARK: Intent

    @Test(arguments: [false, true])
    func commit_whenAReminderWasCancelled_leavesItOut(isDistributed: Bool) async throws {
        let fixture = try await fixture()
        try fixture.insertReminder(1, "now() - interval '1 hour', null")
        try fixture.insertReminder(2, "now() - interval '1 hour', null", subject: "8")
        if isDistributed { fixture.store.claiming.noteDistribution() }
        let member = try await fixture.member()
        let now = Instant(seconds: Int64(try fixture.sql("select floor(extract(epoch from now()))::bigint")) ?? 0)
        let users = try await fixture.store.claim(ranges: F.ranges, now: now, limit: 9).users
        #expect(try fixture.sql("select done from nudged_api.cancel_reminders(null, 'task', '7')") == "1")
        // Not by its touch: by the row itself.
        try fixture.sql("truncate nudged.touched")
        let answer = try await fixture.store.commit(intent(users, member: member))
        #expect(answer.touched.isEmpty && answer.cancelled.map(\.userID) == [F.user(1)])
        // And the other way round.
        #expect(try fixture.sql("select done, too_late from nudged_api.cancel_reminders(null, 'task', '8')") == "0|1")
    }

    /// The app's transaction is open while the daemon works, and the daemon's outcome comes while it is: nobody waits.
    @Test func cancellation_whenItsTransactionIsOpen_holdsNobodyUp() async throws {
        let fixture = try await fixture()
        let first = try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        try fixture.insertReminder(2, "'2026-11-20 11:00Z', null", subject: "8")
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let intent = intent(users.filter { $0.userID == F.user(1) }, member: member)
        #expect(try await fixture.store.commit(intent).touched.isEmpty)
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            for (subject, answer) in [("7", "(,0,1,{})"), ("8", "(,1,0,{})")] {
                let rows = try await transaction.run(
                    Statement("cancel", sql: "select nudged_api.cancel_reminders(null, 'task', '\(subject)')::text")
                )
                #expect(try rows.text(0, 0) == answer)
            }
            let settled = try await fixture.store.settle(
                Settlement(
                    member: member,
                    sweepID: intent.sweepID,
                    changes: users.filter { $0.userID == F.user(1) }.map { F.change($0, ended: [first]) }
                )
            )
            #expect(settled.settled.count == 1)
            // The one that is being cancelled is not written.
            let other = self.intent(users.filter { $0.userID == F.user(2) }, member: member)
            let answer = try await fixture.store.commit(other)
            #expect(answer.touched.isEmpty && Array(answer.cancelled) == other.messages)
        }
        await app.close()
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "0")
    }

    // MARK: Outcome

    private func continuation(_ user: Int, _ id: UUID, _ due: PendingReminder.Due) throws -> ReminderContinuation {
        let planned = try #require(LocalDateTime(iso: "2026-11-21T09:00:00"))
        return ReminderContinuation(
            userID: F.user(user),
            id: id,
            number: 4,
            first: .local(planned),
            planned: planned,
            due: due,
            instant: F.now
        )
    }

    @Test func settlement_whenAReminderEnded_deletesItAndPutsTheNextInItsPlace() async throws {
        let fixture = try await fixture()
        let series = (", recurrence, number, first_at", ", 'FREQ=DAILY', 3, '2026-11-17 08:00Z'")
        let first = try fixture.insertReminder(1, "'2026-11-20 08:00Z', null", more: series)
        let second = try fixture.insertReminder(2, "'2026-11-20 08:00Z', null", more: series)
        let third = try fixture.insertReminder(3, "'2026-11-20 08:00Z', null")
        let (member, sweep) = (try await fixture.member(), UUID())
        let users = try await fixture.claim()
        let wall = try #require(LocalDateTime(iso: "2026-11-21T09:00:00"))
        var changes = zip(users, [first, second, third]).map { F.change($0, ended: [$1]) }
        changes[0].continued = [try continuation(1, first, .local(wall))]
        changes[1].continued = [try continuation(2, second, .at(F.now + 7))]
        // Of one that did not end.
        changes[2].continued = [try continuation(3, UUID(), .at(F.now))]
        let settlement = Settlement(member: member, sweepID: sweep, changes: changes)
        #expect(try await fixture.store.settle(settlement).settled.count == 3)
        let rows = """
            select right(user_id::text, 1), due_at, due_local, recurrence, number, first_at, first_local, planned_local, title, is_own, is_fan_out
            from nudged.occurrence order by 1
            """
        try fixture.expect(
            rows,
            [
                "1||2026-11-21 09:00:00|FREQ=DAILY|4||2026-11-21 09:00:00|2026-11-21 09:00:00|Water|t|f",
                "2|2026-11-20 12:00:07+00||FREQ=DAILY|4||2026-11-21 09:00:00|2026-11-21 09:00:00|Water|t|f",
            ]
        )
        #expect(try fixture.sql("select count(*) from nudged.occurrence where id = '\(second)'") == "0", "a new id")
        // Said twice, it is done once.
        let before = try fixture.sql("select * from nudged.occurrence order by 1")
        #expect(try await fixture.store.settle(settlement).settled.isEmpty)
        #expect(try fixture.sql("select * from nudged.occurrence order by 1") == before)
    }

    /// The pushes of a dead daemon are unknown. Its rows are left to the planner.
    @Test func recovery_whenADaemonDied_keepsTheReminder() async throws {
        let fixture = try await fixture(1...1)
        let id = try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let retry =
            #"[{"kind":"reminder","key":"\#(id.uuidString.lowercased())","valid_until":null,"version":1,"attempt":0,"counted_at":"2026-11-20T12:00:00Z","left":[]}]"#
        _ = try await fixture.store.commit(intent(users, member: member, retry: retry))
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 10).pushes == 1)
        try fixture.expect(
            "select kind, key, outcome from nudged.delivery",
            "reminder|\(id.uuidString.lowercased())|unknown"
        )
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "1")
        #expect(try fixture.sql("select retry -> 0 ->> 'key' from nudged.person") == id.uuidString.lowercased())
        #expect(try fixture.sends() == [1])
    }

    // MARK: Restore, erasure, housekeeping

    @Test func restore_whenHoursMayHaveCome_marksThem() async throws {
        let fixture = try await fixture()
        try fixture.insertReminder(1, "'2026-11-20 11:59Z', null")
        try fixture.insertReminder(1, "null, '2026-11-21 01:00'", subject: "8")
        try fixture.insertReminder(1, "'2026-11-20 12:00Z', null", subject: "9")
        _ = try await fixture.store.restoreUsers(from: Store.firstUser, now: F.now, limit: 100)
        try fixture.expect(
            "select subject_id, restored_at from nudged.occurrence order by 1",
            ["7|2026-11-20 12:00:00+00", "8|2026-11-20 12:00:00+00", "9|"]
        )
        // Somebody whose row is made now.
        try fixture.insertReminder(5, "'2026-11-20 11:59Z', null")
        try fixture.sql(
            "delete from nudged.person; insert into nudged.touched (user_id, at) values (\(F.quoted(5)), '2026-11-20')"
        )
        _ = try await fixture.store.restoreTouches(before: F.now, limit: 100)
        #expect(try fixture.sql("select count(*) from nudged.person where user_id = \(F.quoted(5))") == "1")
    }

    @Test func forget_whenTheUserSetAndHasReminders_erasesBoth() async throws {
        let fixture = try await fixture()
        try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        try fixture.insertReminder(2, "'2026-11-20 11:00Z', null")
        // Each told of the other's.
        for (user, author) in [(1, 2), (2, 1), (3, 2)] {
            try fixture.sql(
                """
                insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, is_own, due_at)
                values (\(F.quoted(user)), gen_random_uuid(), \(F.quoted(author)), 'task', '7', 'x', '', false, now())
                """
            )
        }
        try fixture.sql(
            "delete from public.push_tokens where user_id = \(F.quoted(1)); delete from public.context_profiles where user_id = \(F.quoted(1)); truncate nudged.touched"
        )
        // The person, two rows that they are told of, one that they set for another, and their word.
        #expect(try fixture.sql("select (nudged_api.forget(\(F.quoted(1)))).done") == "5")
        try fixture.expect(
            "select right(user_id::text, 1), right(author_id::text, 1) from nudged.occurrence order by 1, 2",
            ["2|2", "3|2"]
        )
        #expect(try fixture.lines("select right(user_id::text, 1) from nudged.reminder") == ["2"])
    }

    @Test func definitions_whenNothingIsPending_areForgotten() async throws {
        let fixture = try await fixture()
        try fixture.insertReminder(1, "'2026-11-20 11:00Z', null")
        // Of another's row as well.
        try fixture.insertReminder(2, "'2026-11-20 11:00Z', null")
        try fixture.sql(
            """
            update nudged.occurrence set user_id = \(F.quoted(3)), is_own = false where user_id = \(F.quoted(2));
            insert into nudged.reminder (user_id, subject_type, subject_id, id)
            select \(F.quoted(1)), 'task', 'gone ' || n, gen_random_uuid() from generate_series(1, 2500) n;
            """
        )
        var pages = 0
        var place: ReminderPlace? = .start
        while let from = place {
            place = try await fixture.store.pruneReminders(from: from)
            pages += 1
        }
        #expect(pages == 3)
        try fixture.expect(
            "select subject_id, right(user_id::text, 1) from nudged.reminder order by 2",
            ["7|1", "7|2"]
        )
    }
}
