import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Reminders for everyone become one row per member.
@Suite(.ownThreads) struct FanOutTests {
    /// Members of task 7, by their numbers; and a reminder of the first, for everyone.
    private func fixture(
        _ members: [Int],
        _ arguments: String = "due_at => now()",
        migrated: Bool = true
    ) async throws -> F {
        let fixture = try await F.withUsers()
        let values = members.map { "('7', \(F.quoted($0))::uuid)" }.joined(separator: ", ")
        try fixture.sql(
            """
            create table public.task_member (task_id text, user_id uuid);
            insert into public.task_member values \(values), ('8', \(F.quoted(9))), ('7', null);
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, task_id as subject_id, user_id from public.task_member;
            """
        )
        _ = try fixture.setReminder("\(arguments), audience => 'everyone'")
        try fixture.forgetTouches()
        return fixture
    }

    private func now(_ fixture: F) async throws -> Instant {
        Instant(seconds: try await fixture.store.clock() / 1_000_000)
    }

    private func due(_ fixture: F, except left: [UUID] = []) async throws -> [DueFanOut] {
        try await fixture.store.dueFanOuts(now: try await now(fixture) + 1, except: left, limit: 100)
    }

    private let told = "select right(user_id::text, 2), is_own from nudged.occurrence where not is_fan_out order by 1"

    @Test func fanOut_whenItsHourCame_tellsEachMemberOnce() async throws {
        let fixture = try await fixture([1, 2, 2, 3])
        let fanOut = try #require(try await due(fixture).first)
        #expect(fanOut.after == nil && !fanOut.reminder.isCancelled && fanOut.timezone == "Europe/Berlin")
        #expect(fanOut.preferences?.contains("daily") == true)
        #expect(try await fixture.store.tell(fanOut, next: nil, limit: 10) == .finished(3))
        #expect(try fixture.lines(told) == ["01|t", "02|f", "03|f"])
        #expect(try fixture.touched() == ["01", "02", "03"])
        try fixture.expect(
            "select count(*) from nudged.occurrence o join nudged.reminder r on r.id = o.reminder_id where o.title = 'Water' and o.recurrence is null",
            "3"
        )
        #expect(try await due(fixture).isEmpty)
        // Once is once.
        #expect(try await fixture.store.tell(fanOut, next: nil, limit: 10) == .held)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "3")
    }

    /// The app's view raises an error for two members. All others are told.
    @Test(arguments: ["P0001", "39000", "42501", "0A000", "55P03", "ND020"])
    func fanOut_whenTheViewFailsForAMember_tellsTheOthers(state: String) async throws {
        let fixture = try await fixture([1, 2, 3, 4, 5, 6])
        try fixture.sql(
            """
            create function public.tried(who uuid) returns boolean language plpgsql as $$
            begin
                if who in (\(F.quoted(3)), \(F.quoted(6))) then raise exception using errcode = '\(state)'; end if;
                return true;
            end $$;
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, task_id as subject_id, user_id from public.task_member where public.tried(user_id)
            """
        )
        let fanOut = try #require(try await due(fixture).first)
        var refused: [Refusal] = []
        let step = try await fixture.store.tell(fanOut, next: nil, limit: 10) { refused.append($0) }
        #expect(step == .finished(4))
        #expect(try fixture.lines(told) == ["01|t", "02|f", "04|f", "05|f"])
        #expect(refused.map(\.userID) == [F.user(3), F.user(6)])
        #expect(refused.allSatisfy { $0.column == "nudged.subject_member" && $0.error.hasPrefix(state) }, "\(refused)")
    }

    /// The view fails for everybody: the reminder waits, and the connection is as good as before.
    @Test func fanOut_whenTheViewIsBroken_waits() async throws {
        let fixture = try await fixture([1, 2, 3])
        try fixture.sql(
            """
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, task_id as subject_id, case when 1 / (task_id is null)::integer = 1 then user_id end as user_id
            from public.task_member
            """
        )
        let fanOut = try #require(try await due(fixture).first)
        let error = await #expect(throws: PostgresError.self) {
            _ = try await fixture.store.tell(fanOut, next: nil, limit: 10) { Issue.record("\($0)") }
        }
        #expect(error?.sqlState == "22012")
        #expect(try fixture.sql("select count(*) from nudged.occurrence where is_fan_out") == "1")
        #expect(try await due(fixture).count == 1)
    }

    @Test func fanOut_whenItsHourIsToCome_isNotDue() async throws {
        let fixture = try await fixture([1], "due_at => now() + interval '1 hour'")
        #expect(try await due(fixture).isEmpty)
        let local = try await self.fixture([1], "due_local => (now() at time zone 'UTC') + interval '13 hours'")
        #expect(try await due(local).count == 1, "somebody's clock may show it")
        let later = try await self.fixture([1], "due_local => (now() at time zone 'UTC') + interval '15 hours'")
        #expect(try await due(later).isEmpty)
    }

    @Test func fanOut_whenMembersAreMany_goesOnPageByPage() async throws {
        let fixture = try await fixture([1, 2, 3, 4, 5])
        let first = try #require(try await due(fixture).first)
        #expect(try await fixture.store.tell(first, next: nil, limit: 2) == .told(2, last: F.user(2)))
        // Another daemon goes on from where it stands; who has seen an older state does nothing.
        let second = try #require(try await due(fixture).first)
        #expect(second == first.after(F.user(2)))
        #expect(try await fixture.store.tell(first, next: nil, limit: 2) == .held)
        #expect(try await fixture.store.tell(second, next: nil, limit: 2) == .told(2, last: F.user(4)))
        // Who comes before that place is not told, who comes after it is; who left is not.
        try fixture.sql(
            """
            insert into public.task_member values ('7', '00000000-0000-4000-8000-000000000000'), ('7', \(F.quoted(6)));
            delete from public.task_member where user_id = \(F.quoted(5))
            """
        )
        #expect(try await fixture.store.tell(second.after(F.user(4)), next: nil, limit: 2) == .finished(1))
        #expect(try fixture.lines(told).map { $0.prefix(2) } == ["01", "02", "03", "04", "06"])
    }

    /// An empty last page, and a subject without members.
    @Test(arguments: [[1, 2], [1], []]) func fanOut_whenNobodyIsLeft_ends(members: [Int]) async throws {
        let fixture = try await fixture(members + [9])
        try fixture.sql("delete from public.task_member where user_id = \(F.quoted(9))")
        var fanOut = try #require(try await due(fixture).first)
        while case .told(_, let last) = try await fixture.store.tell(fanOut, next: nil, limit: 1) {
            fanOut = fanOut.after(last)
        }
        #expect(try fixture.lines(told).count == members.count)
        #expect(try await due(fixture).isEmpty)
    }

    @Test func fanOut_whenItRecurs_comesAgain() async throws {
        let fixture = try await fixture([2], "due_at => now(), recurrence => 'FREQ=DAILY'")
        let fanOut = try #require(try await due(fixture).first)
        let planned = try #require(LocalDateTime(iso: "2040-01-02T09:00:00"))
        guard case .at(let first) = fanOut.reminder.due else { return fail("no instant") }
        let next = ReminderContinuation(
            userID: F.user(1),
            id: fanOut.reminder.id,
            number: 2,
            first: .at(first),
            planned: planned,
            due: .at(F.now + 7),
            instant: F.now + 7
        )
        #expect(try await fixture.store.tell(fanOut, next: next, limit: 10) == .finished(1))
        try fixture.expect(
            "select right(user_id::text, 2), due_at, recurrence, number, first_at is null, first_local, planned_local, fan_out_after, is_own from nudged.occurrence where is_fan_out",
            ["01|2026-11-20 12:00:07+00|FREQ=DAILY|2|f||2040-01-02 09:00:00||f"]
        )
        #expect(try fixture.lines(told) == ["02|f"])
    }

    @Test func fanOut_whenItWaitsForAnInstant_isDueThen() async throws {
        let fixture = try await fixture(
            [2],
            "due_local => (now() at time zone 'UTC') + interval '13 hours', timezone => 'UTC', recurrence => 'FREQ=DAILY'"
        )
        let fanOut = try #require(try await due(fixture).first)
        let until = try await now(fixture) + 46_800
        #expect(try await fixture.store.wait(fanOut, until: until) == .finished(0))
        #expect(try await due(fixture).isEmpty)
        let rows = try await fixture.store.dueFanOuts(now: until, except: [], limit: 9)
        #expect(rows.map(\.reminder.due) == [.at(until)] && rows.first?.reminder.series == fanOut.reminder.series)
        #expect(try await fixture.store.dueFanOuts(now: until, except: [fanOut.reminder.id], limit: 9).isEmpty)
    }

    /// What the restore of a backup marks goes to each member, whose zone says whether it was before.
    @Test func fanOut_whenABackupWasRestored_saysSoToEach() async throws {
        let fixture = try await fixture([2])
        try fixture.sql("update nudged.occurrence set restored_at = '2026-11-20'")
        let fanOut = try #require(try await due(fixture).first)
        _ = try await fixture.store.tell(fanOut, next: nil, limit: 10)
        #expect(try fixture.sql("select restored_at from nudged.occurrence") == "2026-11-20 00:00:00+00")
    }

    // MARK: The app beside it

    /// Set again, cancelled or snoozed by an open transaction: nobody waits for it, and nobody is told.
    @Test(arguments: [
        "select id::text from nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'New', '', due_at => now() + interval '1 day')",
        "select done::text from nudged_api.cancel_reminders(null, 'task', '7')",
        "select (nudged_api.snooze_reminder(null, reminder_id, now() + interval '1 day')).done::text from nudged.occurrence",
    ]) func fanOut_whenTheAppHoldsIt_isLeft(call: String) async throws {
        let fixture = try await fixture([2])
        let fanOut = try #require(try await due(fixture).first)
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            _ = try await transaction.run(Statement("call", sql: call))
            let begun = ContinuousClock.now
            #expect(try await fixture.store.tell(fanOut, next: nil, limit: 10) == .held)
            #expect(ContinuousClock.now - begun < .seconds(5))
        }
        await app.close()
        #expect(try await fixture.store.tell(fanOut, next: nil, limit: 10) == .held)
        #expect(try fixture.lines(told).filter { $0.hasPrefix("02") }.isEmpty)
    }

    /// Cancelled once half of them have theirs: what is pending goes, theirs as well.
    @Test func fanOut_whenItIsCancelledHalfWay_leavesNobodyBehind() async throws {
        let fixture = try await fixture([1, 2, 3, 4])
        let fanOut = try #require(try await due(fixture).first)
        _ = try await fixture.store.tell(fanOut, next: nil, limit: 2)
        try fixture.forgetTouches()
        #expect(try fixture.sql("select done, too_late from nudged_api.cancel_reminders(null, 'task', '7')") == "3|0")
        #expect(try await fixture.store.tell(fanOut.after(F.user(2)), next: nil, limit: 2) == .held)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "0")
        #expect(try fixture.touched() == ["01", "02"])
    }

    /// Snoozed while it was cancelled: what the snooze put in its place is nobody's.
    @Test func fanOut_whenItDoesNotLive_isDroppedAndRecorded() async throws {
        let fixture = try await fixture([2])
        let living = try #require(try await due(fixture).first)
        try await fixture.store.drop(living, now: F.now)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "1")
        try fixture.sql("delete from nudged.reminder")
        let fanOut = try #require(try await due(fixture).first)
        #expect(fanOut.reminder.isCancelled)
        #expect(try await fixture.store.tell(fanOut, next: nil, limit: 10) == .held)
        try await fixture.store.drop(fanOut, now: F.now)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "0")
        try fixture.expect(
            "select kind, key, outcome, reason from nudged.delivery",
            "reminder|\(fanOut.reminder.id.uuidString.lowercased())|dropped|cancelled"
        )
    }

    /// Two at once, page by page: each member has one.
    @Test func fanOut_whenTwoDaemonsDoIt_tellsEachOnce() async throws {
        let fixture = try await fixture([1])
        try fixture.sql("insert into public.task_member select '7', gen_random_uuid() from generate_series(1, 3000)")
        let other = Store(configuration: fixture.configuration)
        @Sendable func run(_ store: Store) async throws -> Int {
            var told = 0
            while true {
                let now = Instant(seconds: try await store.clock() / 1_000_000 + 1)
                guard let fanOut = try await store.dueFanOuts(now: now, except: [], limit: 1).first else { return told }
                switch try await store.tell(fanOut, next: nil, limit: 100) {
                case .told(let count, _), .finished(let count): told += count
                case .held: await Task.yield()
                }
            }
        }
        async let one = run(fixture.store)
        async let two = run(other)
        let counts = try await [one, two]
        #expect(counts.reduce(0, +) == 3001)
        #expect(try fixture.sql("select count(*), count(distinct user_id) from nudged.occurrence") == "3001|3001")
        #expect(try fixture.sql("select count(*) from nudged.touched") == "3001")
    }
}
