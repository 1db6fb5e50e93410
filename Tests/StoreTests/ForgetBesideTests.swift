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
        let id = try fixture.setReminder(arguments)
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
        let rows: [Parameter] = [.uuidArray([fanOut.reminder.authorID]), .uuidArray([fanOut.reminder.id])]
        let members: [Parameter] = [.uuidArray([F.user(1), F.user(2), F.user(3)])]
        let daemon = try await fixture.connection()
        let app = try await fixture.connection()
        let erasing = try await daemon.transaction { transaction in
            for (query, parameters) in [
                (Query.fanOutHold, row + [.null(.uuid)]), (.fanOutRecipients, members), (.fanOutTell, row + members),
                (.endReminders, rows + [.null(.jsonb)]),
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
}
