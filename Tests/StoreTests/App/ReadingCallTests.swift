import TestSupport
import Testing

@testable import Core

/// What an app reads of a user: outcomes, what waits, the history, the export, reminders.
@Suite(.ownThreads) struct ReadingCallTests {
    /// Rows of the record: one user, newest last, `count` of them.
    private func record(_ fixture: F, _ count: Int, of user: Int = 1) throws {
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select \(F.quoted(user)), 'check_in', 'n' || n, 'aa', 'accepted', now() - (\(count) - n) / 3 * interval '1 day', gen_random_uuid()
            from generate_series(1, \(count)) n
            """
        )
    }

    /// All pages of a call: `page` makes it after a place, for so many rows, of which the first column is the place.
    private func pages(of most: Int, in fixture: F, _ page: (String, Int) -> String) throws -> [[String]] {
        var rows: [[String]] = []
        var after = "null"
        while true {
            let page = try fixture.lines(page(after, most)).map { $0.split(separator: "|").map(String.init) }
            rows += page
            guard page.count == most, let last = page.last else { return rows }
            after = "'\(last[0])'"
        }
    }

    private static func export(after place: String, most: Int) -> String {
        "select place, source from nudged_api.export(\(F.quoted(1)), \(place), \(most))"
    }

    @Test func outcome_whenAMessageWaitsThenEnds_isTold() async throws {
        let fixture = try await F.withUsers()
        let id = try fixture.sendMessage(1)
        let call =
            "select kind, device, outcome, reason, place in ('waiting', 'sending') from nudged_api.history(\(F.quoted(1)), '\(id)')"
        #expect(try fixture.lines(call) == ["message||waiting||t"])
        try fixture.sql(F.openIntent(of: "select user_id, id from nudged.message"))
        #expect(try fixture.lines(call) == ["message||sending||t"])
        try fixture.sql("truncate nudged.intent; select nudged_api.cancel(\(F.quoted(1)), '\(id)')")
        #expect(try fixture.lines(call) == ["message||dropped|cancelled|f"])
        // Somebody else's.
        #expect(try fixture.lines(call.replacing(F.quoted(1), with: F.quoted(2))).isEmpty)
    }

    /// The record has ids of occurrences. The reminder's id finds them all. An occurrence's id finds this one.
    @Test func outcome_whenAReminderRecurs_hasAllItsOccurrences() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => now() + interval '1 day', recurrence => 'FREQ=DAILY'")
        let first = try fixture.sql("select id from nudged.occurrence")
        // As a settlement ends it.
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select user_id, 'reminder', id, 'aa', 'accepted', now(), gen_random_uuid() from nudged.occurrence
            """
        )
        let user = F.user(1).uuidString
        let times = #""first_at": "2040-01-01T00:00:00Z", "due_at": "2040-01-02T00:00:00Z""#
        let planned = #"[{"user_id": "\#(user)", "id": "\#(first)", "number": 2, \#(times)}]"#
        try fixture.sql(
            "prepare ended as \(Query.endReminders.sql); execute ended(array[\(F.quoted(1))]::uuid[], array['\(first)']::uuid[], '\(planned)')"
        )
        let call = "select key, outcome from nudged_api.history(\(F.quoted(1)), "
        let second = try fixture.sql("select id from nudged.occurrence")
        #expect(second != first && second.prefix(18) == set.prefix(18))
        #expect(try fixture.lines("\(call)'\(set)')") == ["\(second)|waiting", "\(first)|accepted"])
        #expect(try fixture.lines("\(call)'\(first)')") == ["\(first)|accepted"])
        #expect(try fixture.lines("\(call)'\(second)')") == ["\(second)|waiting"])
    }

    /// Rows of one instant are on two pages, and each comes once.
    @Test(arguments: [1, 2, 7, 1000]) func history_whenReadInPages_hasEachRowOnce(most: Int) async throws {
        let fixture = try await F()
        try record(fixture, 20)
        try record(fixture, 5, of: 2)
        let keys = try pages(of: most, in: fixture) {
            "select place, key from nudged_api.history(\(F.quoted(1)), null, \($0), \($1))"
        }.map { $0[1] }
        #expect(keys.count == 20 && Set(keys).count == 20 && ["n20", "n19", "n18"].contains(keys.first))
    }

    /// What is read does not grow with the user's record.
    @Test func history_whenTheRecordIsLong_readsAPage() async throws {
        let fixture = try await F()
        try record(fixture, 30_000)
        try fixture.sql("analyze nudged.delivery")
        let read =
            "select sum(idx_tup_read) from pg_stat_all_indexes where schemaname = 'nudged' and relname like 'delivery%'"
        try fixture.sql("select pg_stat_reset()")
        #expect(try fixture.sql("select count(*) from nudged_api.history(\(F.quoted(1)))") == "100")
        #expect(try #require(Int(try fixture.sql(read))) < 1000)
    }

    @Test func waiting_whenReadInPages_hasMessagesAndReminders() async throws {
        let fixture = try await F.withUsers()
        for number in 1...5 { _ = try fixture.sendMessage(1, "m\(number)") }
        for subject in ["7", "8", "9"] { try fixture.setReminder(about: subject) }
        try fixture.setReminder("due_at => now() + interval '1 day', audience => 'everyone'", about: "10")
        _ = try fixture.sendMessage(2)
        let found = try pages(of: 2, in: fixture) {
            "select place, kind from nudged_api.waiting(\(F.quoted(1)), \($0), \($1))"
        }.map { $0[1] }
        #expect(found.count { $0 == "message" } == 5 && found.count { $0 == "reminder" } == 3)
    }

    @Test func reminders_whenListed_areThoseThatLive() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        try fixture.setReminder("due_at => now() + interval '1 day', audience => 'everyone'", about: "8")
        try fixture.setReminder(about: "9")
        try fixture.sql("delete from nudged.reminder where subject_id = '9'")
        try fixture.expect("select id from nudged_api.waiting(\(F.quoted(1))) where title = 'Water' limit 1", set)
        let list = "select subject_id, audience from nudged_api.list_reminders(\(F.quoted(1))) order by 1"
        #expect(try fixture.lines(list) == ["7|me", "8|everyone"])
        try fixture.expect("select id from nudged_api.list_reminders(\(F.quoted(1))) where subject_id = '7'", set)
        // A page of one, beside a row whose reminder is gone.
        #expect(try fixture.lines("select 1 from nudged_api.list_reminders(\(F.quoted(1)), most => 1)").count == 1)
    }

    /// In pages and whole, the export is the same, and holds every table in which the user is.
    @Test func export_whenTheUserHasRowsEverywhere_hasThemAll() async throws {
        let fixture = try await F.withUsers()
        for number in 1...3 { _ = try fixture.sendMessage(1, "m\(number)", more: ", dedupe_key => 'k\(number)'") }
        try fixture.setReminder()
        try record(fixture, 10)
        _ = try fixture.sql("select nudged_api.preview(\(F.quoted(1)), 'a', 'b')")
        try fixture.sql(
            """
            insert into nudged.departed (user_id, due_at) values (\(F.quoted(1)), now());
            insert into nudged.surface values (\(F.quoted(1)), 'widgets', 'ab');
            insert into nudged.own_call values (\(F.quoted(1)), now(), 1, now(), 1);
            select nudged_api.seen(\(F.quoted(1)))
            """
        )
        let whole = try pages(of: 1000, in: fixture, Self.export)
        for most in [1, 2, 5] { #expect(try pages(of: most, in: fixture, Self.export) == whole, "\(most)") }
        // Each table about users. A new one must be added to nudged.read_export (and nudged.erase).
        let tables = Set(
            try fixture.lines(
                """
                select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id'
                where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                """
            )
        )
        #expect(tables.subtracting(whole.map { $0[1] }).isEmpty)
        #expect(Set(whole.map { $0[1] }).isSuperset(of: ["profile", "device"]))
        // Nothing of anybody else.
        try fixture.expect(
            "select count(*) from nudged_api.export(\(F.quoted(1)), null, 1000) where content::text like '%\(F.user(2).uuidString.lowercased())%'",
            "0"
        )
    }

    /// What is being sent is about the user, too.
    @Test func export_whenAnIntentIsOpen_hasTheUsersPart() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let content = "select content ->> 'content' from nudged_api.export(\(F.quoted(1)), null, 1000)"
        try fixture.expect(
            "\(content) where source = 'intent'",
            [intent.changes[0].content.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()]
        )
    }

    /// The app's own view may have a token twice, or none: a page's edge between them leaves nothing out.
    @Test(arguments: [1, 2, 3]) func export_whenTokensAreEqual_hasEachDeviceOnce(most: Int) async throws {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            create or replace view nudged.device with (security_barrier) as
            select user_id, device_token as token, updated_at as registered_at, environment, topic from public.push_tokens
            union all select user_id, upper(device_token), updated_at, 'sandbox', 'a.b' from public.push_tokens
            union all select user_id, null, updated_at, null, null from public.push_tokens
            """
        )
        let count = "select count(*) from nudged.device where user_id = \(F.quoted(1))"
        let places = try pages(of: most, in: fixture, Self.export).filter { $0[1] == "device" }.map { $0[0] }
        #expect(String(places.count) == (try fixture.sql(count)) && Set(places).count == places.count)
    }
}
