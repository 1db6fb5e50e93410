import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_api.forget` while another session writes for the same user. In either order nothing of the user is left.
@Suite(.ownThreads) struct ForgetBesideTests {
    /// A page that is open when the erasure comes: it waits for the page.
    @Test(.timeLimit(.minutes(10))) func forget_whenAFanOutIsTellingThem_takesThatToo() async throws {
        let fixture = try await F.withUsers(1...3)
        try fixture.fanOut(to: "select user_id from public.context_profiles")
        let now = Instant(seconds: try await fixture.store.clock() / 1_000_000 + 1)
        let fanOut = try #require(try await fixture.store.dueFanOuts(now: now, except: [], limit: 1).first)
        let user = F.quoted(2)
        // What an app does that erases a user.
        let erasure = """
            delete from public.task_member where user_id = \(user);
            delete from public.push_tokens where user_id = \(user);
            delete from public.context_profiles where user_id = \(user); select (nudged_api.forget(\(user))).done
            """
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
            let erasing = Task { try await app.transaction { try await $0.execute(script: erasure) } }
            try await fixture.untilSomebodyWaits()
            return erasing
        }
        try await erasing.value
        // What a daemon would make of what is left.
        while try await fixture.drain(100) > 0 {}
        let traces = try fixture.lines(
            """
            select 'occurrence' from nudged.occurrence o where o::text like '%\(F.user(2).uuidString.lowercased())%'
            union all select 'reminder' from nudged.reminder where user_id = \(user)
            union all select 'touched' from nudged.touched where user_id = \(user)
            union all select 'person' from nudged.person where user_id = \(user)
            union all select 'delivery' from nudged.delivery where user_id = \(user)
            """
        )
        #expect(traces.isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "2")
    }
}
