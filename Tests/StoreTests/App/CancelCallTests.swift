import Postgres
import TestSupport
import Testing

@testable import Core

/// The calls that cancel one nudge, an author's reminders, and messages by user, category, thread or key.
@Suite(.ownThreads) struct CancelCallTests {
    @Test func reminder_whenCancelled_endsForAll() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => now() + interval '1 day', recurrence => 'FREQ=DAILY'")
        let other = try fixture.setReminder(by: 2)
        try fixture.sql(
            """
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
            select \(F.quoted(3)), reminder_id, author_id, subject_type, subject_id, title, body, now(), false
            from nudged.occurrence where reminder_id = '\(set.id)'
            """
        )
        try fixture.forgetTouches()
        #expect(try fixture.sql("select done from nudged_api.cancel(\(F.quoted(1)), '\(set.id)')") == "1")
        // Reminders of other authors for the subject stay.
        #expect(try fixture.lines("select reminder_id from nudged.occurrence") == [other.id])
        #expect(try fixture.touched() == ["01", "03"])
        #expect(try fixture.sql("select done from nudged_api.cancel(\(F.quoted(1)), '\(set.id)')") == "0")
        #expect(try fixture.sql("select count(*) from nudged.delivery where reason = 'cancelled'") == "2")
    }

    @Test func reminder_whenOneIsOnItsWay_isTooLate() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        try fixture.openIntent()
        #expect(try fixture.sql("select done from nudged_api.cancel(\(F.quoted(1)), '\(set.id)')") == "0")
        try fixture.expect(
            "select (select count(*) from nudged.occurrence), (select count(*) from nudged.reminder)",
            "1|0"
        )
    }

    @Test func reminders_whenAnAuthorsAreCancelled_leaveOthers() async throws {
        let fixture = try await F.withUsers()
        for subject in ["7", "8", "9"] { _ = try fixture.setReminder(about: subject) }
        let other = try fixture.setReminder(by: 2)
        let call = "select done, too_late from nudged_api.cancel_reminders(\(F.quoted(1))"
        #expect(try fixture.sql("\(call), 'task', '8')") == "1|0")
        #expect(try fixture.sql("\(call))") == "2|0")
        #expect(try fixture.sql("\(call))") == "0|0")
        #expect(try fixture.lines("select id from nudged.reminder") == [other.id])
    }

    @Test func messages_whenAUsersAreCancelled_leaveOthers() async throws {
        let fixture = try await F.withUsers()
        for user in 1...2 {
            _ = try fixture.sendMessage(user)
            _ = try fixture.sendMessage(user, more: ", thread_id => 'ann'")
        }
        let call = "select done, too_late from nudged_api.cancel_messages("
        #expect(try fixture.sql("\(call)\(F.quoted(2)), thread_id => 'ann')") == "1|0")
        #expect(try fixture.sql("\(call)\(F.quoted(1)))") == "2|0")
        #expect(try fixture.lines("select right(user_id::text, 2), thread_id from nudged.message") == ["02|"])
    }

    /// Nobody cancels by an id alone: it must be that user's.
    @Test func message_whenItIsAnotherUsers_stays() async throws {
        let fixture = try await F.withUsers()
        let id = try fixture.sendMessage(1)
        #expect(try fixture.sql("select done, too_late from nudged_api.cancel(\(F.quoted(2)), '\(id)')") == "0|0")
        #expect(try fixture.sql("select done, too_late from nudged_api.cancel(\(F.quoted(1)), '\(id)')") == "1|0")
    }

    @Test func messages_whenCancelledByAKeysBeginning_leaveOthers() async throws {
        let fixture = try await F.withUsers()
        for (user, key) in [(1, "chat-1-1"), (1, "chat-1-2"), (1, "chat-2-1"), (2, "chat-1-1")] {
            _ = try fixture.sendMessage(user, more: ", dedupe_key => '\(key)', category => 'chat'")
        }
        _ = try fixture.sendMessage(1)
        let call = "select done, too_late from nudged_api.cancel_messages("
        #expect(try fixture.sql("\(call)user_id => \(F.quoted(1)), dedupe_prefix => 'chat-1-')") == "2|0")
        // No pattern: % is a character like any other.
        #expect(try fixture.sql("\(call)dedupe_prefix => 'chat_%')") == "0|0")
        #expect(try fixture.sql("\(call)user_id => \(F.quoted(1)), category => 'chat')") == "1|0")
        try fixture.expect(
            "select right(user_id::text, 2), dedupe_key from nudged.message order by 1, 2",
            ["01|", "02|chat-1-1"]
        )
    }

    /// Of many waiting messages, those of a campaign are found by an index.
    @Test(arguments: ["category => 'c7'", "dedupe_prefix => 'c7-'"])
    func messages_whenManyWait_areReadOnlyIfTheyMatch(argument: String) async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, title, body, category, dedupe_key)
            select gen_random_uuid(), gen_random_uuid(), 'Sale', '', 'c' || g % 1000, format('c%s-%s', g % 1000, g) from generate_series(1, 50000) g;
            analyze nudged.message
            """
        )
        let read = try fixture.lines(
            """
            begin;
            select done, too_late from nudged_api.cancel_messages(\(argument));
            select seq_scan, seq_tup_read from pg_stat_xact_all_tables where relid = 'nudged.message'::regclass;
            commit
            """
        )
        #expect(read == ["50|0", "0|0"])
    }

    /// However many wait, a search for what no index finds ends. What it has found until then is cancelled.
    @Test func messages_whenTheSearchTakesLong_areLeft() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, title, body, category)
            select gen_random_uuid(), md5(g::text)::uuid, case when g in (1, 30000) then 'Rare' else 'Sale' end, '', 'c' || g % 1000
            from generate_series(1, 30000) g;
            analyze nudged.message;
            -- As if five seconds had passed.
            do $$ begin execute replace(pg_get_functiondef('nudged.cancel_messages'::regproc), '5 seconds', '0 seconds'); end $$
            """
        )
        let call = "select done, too_late from nudged_api.cancel_messages("
        #expect(try fixture.sql("\(call)title => 'Rare')") == "1|0")
        #expect(
            try fixture.refusal("\(call)title => 'Rare')")
                == "54000 nudged_api.cancel_messages: five seconds have passed, and no message was found that can be cancelled / "
                + "Give the user, the category or the beginning of the dedupe_key as well: an index finds these."
        )
        #expect(try fixture.sql("\(call)title => 'Rare', category => 'c0')") == "1|0")
        #expect(try fixture.sql("\(call)title => 'Sale')") == "10000|0")
    }

    /// A caller repeats the call until nothing was done. So a whole page that was tried before must not end it.
    @Test func messages_whenAPageWasTried_areCancelledBehindIt() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, title, body)
            select lpad(to_hex(g), 32, '0')::uuid, lpad(to_hex(g), 32, '0')::uuid, 'Sale', '' from generate_series(1, 10002) g;
            insert into nudged.person (user_id, due_at, retry)
            select user_id, now(), jsonb_build_array(jsonb_build_object('key', id, 'counted_at', 1)) from nudged.message order by user_id limit 10000
            """
        )
        #expect(try fixture.sql("select done, too_late from nudged_api.cancel_messages(title => 'Sale')") == "2|10000")
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
    }

    /// A new campaign, which no statistics know: one user's call doesn't read the others' messages.
    @Test(arguments: ["category => 'new'", "dedupe_prefix => 'new-'"])
    func messages_whenCancelledForAUser_areReadByTheUser(argument: String) async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            alter table nudged.message set (autovacuum_enabled = off);
            insert into nudged.message (user_id, id, title, body, category, dedupe_key)
            select coalesce(case g when 1 then \(F.quoted(1))::uuid end, gen_random_uuid()), gen_random_uuid(), 'New', '', 'new', format('new-%s', g)
            from generate_series(1, 20000) g
            """
        )
        let read = try fixture.lines(
            """
            begin;
            select done, too_late from nudged_api.cancel_messages(user_id => \(F.quoted(1)), \(argument));
            select sum(pg_stat_get_xact_tuples_returned(i)) < 100
            from (select 'nudged.message'::regclass union all select indexrelid from pg_index where indrelid = 'nudged.message'::regclass) as r (i);
            commit
            """
        )
        #expect(read == ["1|0", "t"])
    }

    @Test(arguments: [
        ("cancel", "\(F.quoted(1)), gen_random_uuid()"), ("cancel_reminders", F.quoted(1)),
        ("cancel_messages", F.quoted(1)), ("withdraw", "\(F.quoted(1)), gen_random_uuid()::text"),
    ]) func calls_whenTheSnapshotIsOlder_areRefused(name: String, arguments: String) async throws {
        let fixture = try await F()
        try fixture.sql("alter database \(fixture.name) set default_transaction_isolation = 'repeatable read'")
        let refusal = try fixture.refusal("select nudged_api.\(name)(\(arguments))")
        #expect(
            refusal.hasPrefix("0A000 nudged_api.\(name): the transaction's isolation level is not READ COMMITTED / ")
        )
    }

    // MARK: Races

    /// A way to cancel, for all users at once. `call` answers how many were in time, and how many were not.
    struct Race: Sendable, CustomTestStringConvertible {
        let table: String
        let call: String
        var testDescription: String { call }
    }

    private static let authors = "unnest(array(select distinct user_id from public.context_profiles)) as u"

    private static let races = [
        ("occurrence", "unnest(array(select r from nudged.reminder r)) as r, nudged_api.cancel((r).user_id, (r).id)"),
        ("occurrence", "\(authors) cross join lateral nudged_api.cancel_reminders(u)"),
        ("occurrence", "nudged_api.cancel_reminders(null, 'task', '7')"),
        ("message", "\(authors) cross join lateral nudged_api.cancel_messages(u)"),
        ("message", "nudged_api.cancel_messages(category => 'chat')"),
        ("message", "nudged_api.cancel_messages(dedupe_prefix => 'c-')"),
    ].map { Race(table: $0.0, call: "select sum(c.done), sum(c.too_late) from \($0.1) c") }

    /// Both run at the same time, again and again. What was cancelled in time is in no intent, and both answers agree.
    @Test(.timeLimit(.minutes(10)), arguments: races)
    func cancel_whenIntentsAreMadeMeanwhile_isInTimeExactlyWhereNoneHoldsIt(race: Race) async throws {
        let fixture = try await F.withUsers(1...40)
        let daemon = try await fixture.connection()
        var (inTime, tooLate) = (0, 0)
        for round in 0..<20 {
            try fixture.sql(
                """
                truncate nudged.intent, nudged.occurrence, nudged.reminder, nudged.message, nudged.message_key, nudged.delivery;
                select nudged_api.set_reminder(user_id, 'task', '7', 'x', '', now()) from public.context_profiles
                where '\(race.table)' = 'occurrence';
                select (nudged_api.send(user_id, 'x', '', category => 'chat', dedupe_key => 'c-1')).id from public.context_profiles
                where '\(race.table)' = 'message'
                """
            )
            let script = """
                create temporary table mine on commit drop as
                select user_id, id from (select user_id, id from nudged.\(race.table) order by random() limit \(2 * round) for key share skip locked) o;
                \(F.openIntent(of: "select * from mine"))
                """
            // As the daemon's transaction: its locks, then the intent of what it got.
            let intent = Task {
                try await daemon.transaction { transaction in
                    try await transaction.execute(script: script)
                }
            }
            // Otherwise, on a busy machine, the same one may be first each time.
            if round % 3 == 2 { try await intent.value }
            let answer = try fixture.sql(race.call).split(separator: "|").compactMap { Int($0) }
            try await intent.value
            let intended =
                Int(try fixture.sql("select coalesce(sum(cardinality(message_ids)), 0) from nudged.intent")) ?? -1
            try #require(answer == [40 - intended, intended], "\(race.call)")
            try fixture.expect(
                "select count(*) from nudged.delivery d join (select unnest(message_ids)::text as key from nudged.intent) i on i.key = d.key where d.reason = 'cancelled'",
                "0"
            )
            inTime += answer[0]
            tooLate += answer[1]
        }
        #expect(inTime > 0 && tooLate > 0)
    }
}
