import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_api.forget` while another session writes for the same user. In either order nothing of the user is left.
@Suite(.ownThreads) struct ForgetBesideTests {
    /// A reminder of user 1's for themselves and 2 and 3, due now.
    private func fixture(_ arguments: String = "due_at => now(), audience => 'everyone'") async throws -> (F, String) {
        let fixture = try await F.withUsers(1...3)
        try fixture.sql(
            """
            create table public.task_member as select '7' as task_id, user_id from public.context_profiles;
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, task_id as subject_id, user_id from public.task_member;
            """
        )
        let id = try fixture.setReminder(arguments).id
        try fixture.forgetTouches()
        return (fixture, id)
    }

    /// What an app does that erases a user.
    private static func erasure(_ user: Int) -> String {
        """
        delete from public.task_member where user_id = \(F.quoted(user)); delete from public.push_tokens where user_id = \(F.quoted(user));
        delete from public.context_profiles where user_id = \(F.quoted(user)); select (nudged_api.forget(\(F.quoted(user)))).done
        """
    }

    private static func erase(_ user: Int, _ app: Connection) async throws {
        try await app.transaction { try await $0.execute(script: erasure(user)) }
    }

    /// Rows that name the user.
    private func traces(_ fixture: F, _ user: Int) throws -> [String] {
        try fixture.lines(
            """
            select 'occurrence' from nudged.occurrence o where o::text like '%\(F.user(user).uuidString.lowercased())%'
            union all select 'reminder' from nudged.reminder where user_id = \(F.quoted(user))
            union all select 'touched' from nudged.touched where user_id = \(F.quoted(user))
            union all select 'person' from nudged.person where user_id = \(F.quoted(user))
            union all select 'delivery' from nudged.delivery where user_id = \(F.quoted(user))
            """
        )
    }

    /// What a daemon would make of what is left.
    private func drain(_ fixture: F) async throws { while try await fixture.drain(100) > 0 {} }

    private func due(_ fixture: F) async throws -> DueFanOut {
        let now = Instant(seconds: try await fixture.store.clock() / 1_000_000 + 1)
        return try #require(try await fixture.store.dueFanOuts(now: now, except: [], limit: 1).first)
    }

    /// A page that is open when the erasure comes: it waits for the page.
    @Test(.timeLimit(.minutes(10))) func forget_whenAFanOutIsTellingThem_takesThatToo() async throws {
        let (fixture, _) = try await fixture()
        let fanOut = try await due(fixture)
        let row: [Parameter] = [.uuid(fanOut.reminder.authorID), .uuid(fanOut.reminder.id)]
        let members: [Parameter] = [.uuidArray([F.user(1), F.user(2), F.user(3)])]
        let daemon = try await fixture.connection()
        let app = try await fixture.connection()
        let erasing = try await daemon.transaction { transaction in
            for (query, parameters) in [
                (Query.fanOutHold, row + [.null(.uuid)]), (.fanOutRecipients, members), (.fanOutTell, row + members),
                (.fanOutFinish, row + [.null(.jsonb)]),
            ] { _ = try await transaction.run(Statement(query.name, sql: query.sql, parameters: parameters)) }
            let erasing = Task { try await Self.erase(2, app) }
            try await fixture.untilSomebodyWaits()
            return erasing
        }
        try await erasing.value
        try await drain(fixture)
        #expect(try traces(fixture, 2).isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "2")
    }

    /// The other way round: the page gives way, and tells the others when it comes again.
    @Test(.timeLimit(.minutes(10))) func fanOut_whenAMemberIsBeingErased_tellsTheOthersAfterwards() async throws {
        let (fixture, _) = try await fixture()
        let fanOut = try await due(fixture)
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            try await transaction.execute(script: Self.erasure(2))
            let error = await #expect(throws: PostgresError.self) {
                try await fixture.store.tell(fanOut, next: nil, limit: 10)
            }
            #expect(error?.sqlState == "55P03")
        }
        #expect(try await fixture.store.tell(fanOut, next: nil, limit: 10) == .finished(2))
        try await drain(fixture)
        #expect(try traces(fixture, 2).isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "2")
    }

    /// Members were read, and one of them is erased before their rows are held: as the page would meet it between two of its statements.
    @Test func fanOut_whenAMemberWasErasedMeanwhile_holdsTheOthers() async throws {
        let (fixture, _) = try await fixture()
        try fixture.sql(Self.erasure(2))
        let held =
            "select right(r::text, 2) from nudged.hold_recipients(array[\(F.quoted(1)), \(F.quoted(2)), \(F.quoted(3))]::uuid[]) r order by 1"
        #expect(try fixture.lines(held) == ["01", "03"])
        // A user that no sweep has seen yet has no row to hold, but is in the result.
        try fixture.sql("delete from nudged.person")
        #expect(try fixture.lines(held) == ["01", "03"])
    }

    /// An open snooze, of all and of a recipient's own, of one's own reminder and of another's: the erasure waits for it.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            (1, "due_at => now() + interval '1 day'", "null"),
            (1, "due_at => now() + interval '1 day', audience => 'everyone'", "null"),
            (2, "due_at => now() + interval '1 day', audience => 'everyone', recurrence => 'FREQ=DAILY'", F.quoted(2)),
        ]
    ) func forget_whenASnoozeIsOpen_takesThatToo(user: Int, arguments: String, recipient: String) async throws {
        let (fixture, id) = try await fixture(arguments)
        let app = try await fixture.connection()
        let other = try await fixture.connection()
        let erasing = try await app.transaction { transaction in
            try await transaction.execute(
                script: "select nudged_api.snooze_reminder(\(recipient), '\(id)', now() + interval '1 hour')"
            )
            let erasing = Task { try await Self.erase(user, other) }
            try await fixture.untilSomebodyWaits()
            return erasing
        }
        try await erasing.value
        try await drain(fixture)
        #expect(try traces(fixture, user).isEmpty)
    }

    /// A snooze that waits for the erasure finds nothing.
    @Test(.timeLimit(.minutes(10))) func snooze_whenTheAuthorIsBeingErased_isFalse() async throws {
        let (fixture, id) = try await fixture("due_at => now() + interval '1 day'")
        let app = try await fixture.connection()
        let other = try await fixture.connection()
        let snoozing = try await app.transaction { transaction in
            try await transaction.execute(script: Self.erasure(1))
            let snooze = Statement(
                "snooze",
                sql: "select done::text from nudged_api.snooze_reminder(null, '\(id)', now() + interval '1 hour')"
            )
            let snoozing = Task { try await other.run(snooze).text(0, 0) }
            try await fixture.untilSomebodyWaits()
            return snoozing
        }
        #expect(try await snoozing.value == "0")
        try await drain(fixture)
        #expect(try traces(fixture, 1).isEmpty)
    }
}
