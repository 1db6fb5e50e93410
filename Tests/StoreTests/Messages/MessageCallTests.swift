import Postgres
import Synchronization
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_api.send` and its relatives, as an app calls them.
@Suite(.ownThreads) struct MessageCallTests {
    private let user = F.quoted(1)

    /// What `send` warns of is read from the app's views. A broken or locked one fails no message.
    @Test(arguments: [
        ("raise exception 'broken'", "P0001"), ("assert false", "P0004"), ("perform 1 / 0", "22012"),
        ("lock table public.push_tokens nowait", "55P03"),
    ]) func send_whenAViewOfTheAppIsBroken_sendsAndWarns(fault: String, state: String) async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            """
            create function public.fault() returns boolean language plpgsql as $f$ begin \(fault); return true; end $f$;
            create or replace view nudged.device with (security_barrier) as
            select user_id, device_token as token, created_at as registered_at, environment, topic from public.push_tokens
            where public.fault()
            """
        )
        let holder = try await fixture.connection()
        let warnings = try await holder.transaction { transaction in
            if state == "55P03" {
                try await transaction.execute(script: "lock table public.push_tokens in access exclusive mode")
            }
            return try fixture.sql("select done, warnings from nudged_api.send(\(F.quoted(1)), 'a', 'b')")
        }
        #expect(warnings == "1|{\"user_unreadable: the user's rows could not be read (SQLSTATE \(state))\"}")
    }

    @Test func send_whenTheUserLacksSomething_says() async throws {
        let fixture = try await F.withUsers(1...1)
        let call = "select warnings from nudged_api.send(\(F.quoted(1)), 'a', 'b')"
        #expect(try fixture.sql(call) == "{}")
        for zone in ["null", "''"] {
            try fixture.sql("update public.context_profiles set timezone = \(zone)")
            #expect(try fixture.sql(call).hasPrefix("{\"no_timezone: "), "\(zone)")
        }
        try fixture.sql(
            #"update public.context_profiles set notification_preferences = '{"timezone": "Europe/Paris"}'"#
        )
        #expect(try fixture.sql(call) == "{}")
        try fixture.sql("delete from public.push_tokens")
        #expect(try fixture.sql(call).hasPrefix("{\"no_device: "))
        let widgets = "select warnings from nudged_api.send(\(F.quoted(1)), null, null, apns => '{\"widgets\": true}')"
        #expect(try fixture.sql(widgets).hasPrefix("{\"no_token: "))
    }

    @Test func send_whenCalled_leavesAMessageAndATouch() async throws {
        let fixture = try await F()
        let id = try fixture.sql(
            """
            select (nudged_api.send(\(user), 'Ann', 'Hello', data => '{"x": 1}', urgent => true, category => 'chat', thread_id => 't',
                collapse_key => 'k', expires_at => '2099-01-01Z')).id
            """
        )
        try fixture.expect(
            "select user_id, id, title, body, data, urgent, category, thread_id, collapse_key, expires_at = '2099-01-01Z' from nudged.message",
            #"\#(user.filter { $0 != "'" })|\#(id)|Ann|Hello|{"x": 1}|t|chat|t|k|t"#
        )
        #expect(try fixture.sql("select user_id, urgent from nudged.touched") == "\(user.filter { $0 != "'" })|t")
    }

    /// A campaign that was a mistake: what waits is cancelled, what is on its way is counted, and other messages stay.
    @Test func cancelMessages_whenACampaignWaits_cancelsItAndNothingElse() async throws {
        let (fixture, _, users) = try await F.claimed(1...3)
        for number in 1...3 {
            try fixture.sql("select (nudged_api.send(\(F.quoted(number)), 'Sale', 'x', category => 'ad')).id")
        }
        try fixture.sql("select (nudged_api.send(\(user), 'Ann', 'hello')).id; truncate nudged.touched")
        // One is in an open intent, so a phone may get it.
        try fixture.sql(F.openIntent(of: "select user_id, id from nudged.message where user_id = \(F.quoted(3))"))
        #expect(users.count == 3)
        try fixture.expect(
            "select done, too_late from nudged_api.cancel_messages(title => 'Sale', sent_after => now() - interval '1 hour')",
            "2|1"
        )
        #expect(try fixture.lines("select title from nudged.message order by 1") == ["Ann", "Sale"])
        #expect(try fixture.sql("select count(*) from nudged.touched") == "2")
        #expect(try fixture.lines("select distinct outcome, reason from nudged.delivery") == ["dropped|cancelled"])
        #expect(try fixture.sql("select done, too_late from nudged_api.cancel_messages(category => 'none')") == "0|0")
    }

    /// A nudge exists exactly if what it is about was committed.
    @Test func send_whenTheAppRollsBack_leavesNothing() async throws {
        let fixture = try await F()
        try fixture.sql("begin; select (nudged_api.send(\(user), 'a', 'b', dedupe_key => 'k')).id; rollback")
        try fixture.expect(
            "select (select count(*) from nudged.message), (select count(*) from nudged.touched), (select count(*) from nudged.message_key)",
            "0|0|0"
        )
    }

    /// Texts that a phone shows, however short, and in any script.
    @Test(arguments: [
        "'.'", "U&'\\2026'", "U&'\\2022'", "U&'\\3042'", "U&'\\+01F44B'", "U&'\\200B\\00E9'", "U&'\\00A1'",
        "U&'\\2800'",
    ]) func send_whenTheTextIsShort_takesIt(text: String) async throws {
        let fixture = try await F()
        _ = try fixture.sql("select (nudged_api.send(\(user), \(text), null)).id")
        #expect(try fixture.sql("select count(*) from nudged.message") == "1")
    }

    @Test func dedupeKey_whenUsedAgain_returnsTheFirstId() async throws {
        let fixture = try await F()
        let first = try fixture.sql("select (nudged_api.send(\(user), 'a', 'b', dedupe_key => 'k')).id")
        #expect(try fixture.sql("select (nudged_api.send(\(user), 'c', 'd', dedupe_key => 'k')).id") == first)
        #expect(try fixture.sql("select (nudged_api.send(\(F.quoted(2)), 'c', 'd', dedupe_key => 'k')).id") != first)
        // Long after it was sent, too.
        try fixture.sql("delete from nudged.message")
        #expect(try fixture.sql("select (nudged_api.send(\(user), 'c', 'd', dedupe_key => 'k')).id") == first)
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        // For thirty days.
        try fixture.sql("update nudged.message_key set at = now() - interval '31 days' where user_id = \(user)")
        #expect(try await fixture.store.pruneMessageKeys() == 1)
        #expect(try fixture.sql("select (nudged_api.send(\(user), 'c', 'd', dedupe_key => 'k')).id") != first)
    }

    /// Between the two looks at it a key can go (forgotten, or thirty days old). Then the message is as new, and its key is written: a third call sends nothing.
    @Test(arguments: [
        "(nudged_api.send(USER, 'a', 'b', dedupe_key => 'k')).id",
        "(select id from nudged_api.send_many(array[USER, OTHER]::uuid[], 'a', 'b', dedupe_key => 'k') where user_id = USER)",
    ]) func dedupeKey_whenItGoesMeanwhile_isWrittenAnew(call: String) async throws {
        let fixture = try await F()
        let send = "select " + call.replacing("USER", with: user).replacing("OTHER", with: F.quoted(2))
        let first = try fixture.sql(send)
        // After the insert that finds it, and before the look at whose it is.
        try fixture.sql(
            """
            create function public.forget_key() returns trigger language plpgsql as
            $$ begin delete from nudged.message_key where id = '\(first)'; return null; end $$;
            create trigger forget_key after insert on nudged.message_key for each statement execute function public.forget_key()
            """
        )
        let second = try fixture.sql(send)
        #expect(second != first)
        #expect(try fixture.sql(send) == second)
        #expect(try fixture.sql("select count(*) from nudged.message where user_id = \(user)") == "2")
    }

    /// Two callers at once: the second waits for the first's end, and gets its id, or the key if that one rolled back.
    @Test(arguments: ["commit", "rollback"]) func dedupeKey_whenAnotherIsSendingTheSame_waitsForIt(end: String)
        async throws
    {
        let fixture = try await F()
        struct RolledBack: Error {}
        let (app, caller, watcher) = (
            try await fixture.connection(), try await fixture.connection(), try await fixture.connection()
        )
        let many = Statement(
            "many",
            sql: """
                select id::text from nudged_api.send_many('[{"user_id": "\(user.filter { $0 != "'" })", "title": "a", "dedupe_key": "k"}]'::jsonb)
                """
        )
        let waiting = Statement(
            "waiting",
            sql: "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        )
        let call = Statement("first", sql: "select (nudged_api.send(\(user), 'a', 'b', dedupe_key => 'k')).id::text")
        let sent = Mutex("")
        let second = Mutex<Task<String, any Error>?>(nil)
        do {
            try await app.transaction { transaction in
                let first = try await transaction.run(call).text(0, 0)
                sent.withLock { $0 = first }
                second.withLock { $0 = Task { try await caller.run(many).text(0, 0) } }
                #expect(try await eventually { try await watcher.run(waiting).int8(0, 0) == 1 })
                if end == "rollback" { throw RolledBack() }
            }
        } catch is RolledBack {}
        let id = try await second.withLock(\.self)?.value
        #expect((id == sent.withLock(\.self)) == (end == "commit"))
        #expect(try fixture.sql("select id from nudged.message") == id)
    }

    @Test func sendMany_whenItHasSets_sendsAllOrNone() async throws {
        let fixture = try await F()
        let lines = try fixture.lines(
            """
            select user_id from nudged_api.send_many((
                select jsonb_agg(jsonb_build_object('user_id', u, 'title', 't' || n, 'urgent', n = 2) order by n)
                from unnest(array[\(F.quoted(3)), \(F.quoted(1)), \(F.quoted(3))]) with ordinality as v (u, n)
            ))
            """
        )
        #expect(lines == [3, 1, 3].map { F.quoted($0).filter { $0 != "'" } })
        try fixture.expect("select title, urgent from nudged.message order by title", ["t1|f", "t2|t", "t3|f"])
        #expect(try fixture.sql("select count(*), count(*) filter (where urgent) from nudged.touched") == "2|1")
        try fixture.expect(
            "select count(*) from nudged_api.send_many(array[\(F.quoted(5)), \(F.quoted(6))]::uuid[], 'a', 'b')",
            "2"
        )
        #expect(try fixture.sql("select count(*) from nudged_api.send_many('[]'::jsonb)") == "0")
    }

    // MARK: Cancelling

    @Test func cancel_whenNothingHasBegun_isInTimeAndRecorded() async throws {
        let fixture = try await F()
        let id = try fixture.sql("select (nudged_api.send(\(user), 'a', 'b')).id")
        #expect(try fixture.sql("select done from nudged_api.cancel(\(user), '\(id)')") == "1")
        try fixture.expect(
            "select (nudged_api.cancel(\(user), '\(id)')).done, (nudged_api.cancel(\(user), gen_random_uuid())).done",
            "0|0"
        )
        try fixture.expect("select kind, key, outcome, reason from nudged.delivery", "message|\(id)|dropped|cancelled")
        #expect(try fixture.sql("select count(*) from nudged.touched") == "2")
    }

    private static let members: [String: (types: Set<String>, phrase: String)] = [
        "user_id": (["string"], "UUID"), "title": (["string"], "text"), "body": (["string"], "text"),
        "data": (["object"], "object"), "urgent": (["boolean"], "boolean"), "category": (["string"], "text"),
        "thread_id": (["string"], "text"), "collapse_key": (["string"], "text"), "expires_at": (["string"], "instant"),
        "dedupe_key": (["string"], "text"), "apns": (["object"], "object"), "deliver_at": (["string"], "instant"),
        "deliver_local": (["string"], "wall time"),
    ]
    private static let values = [
        "number": ["5", "0", "1", "20291121", "-1.5e3"], "boolean": ["true", "false"],
        "array": ["[]", #"["planted"]"#],
        "object": ["{}", #"{"planted": 1}"#], "string": [#""""#, #""planted""#, #""true""#, #""1""#],
    ]

    /// A value of a wrong type is neither converted nor shown: the call names the message and the member.
    @Test(arguments: members.keys.sorted()) func sendMany_whenAMemberIsOfAWrongType_namesIt(member: String) async throws
    {
        let fixture = try await F()
        let (types, phrase) = try #require(Self.members[member])
        for (type, values) in Self.values where !types.contains(type) {
            for value in values {
                // A second one of the name would replace it.
                let rest = [
                    "user_id": "\"\(F.user(1).uuidString)\"", "title": #""a""#, "body": #""b""#,
                ].filter { $0.key != member }.map { #""\#($0.key)": \#($0.value)"# }
                let bad = "{" + (rest + [#""\#(member)": \#(value)"#]).joined(separator: ", ") + "}"
                let good = #"{"user_id": "\#(F.user(2).uuidString)", "title": "a"}"#
                let refused = try fixture.refusal("select nudged_api.send_many('[\(good), \(bad)]'::jsonb)")
                #expect(
                    refused.hasPrefix("22023 nudged_api.send_many: message 1: \(member) is no \(phrase)"),
                    "\(value): \(refused)"
                )
                #expect(!refused.contains("planted"))
            }
        }
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        // Null is as if it were not there.
        guard member != "user_id" else { return }
        let body = member == "title" ? #", "body": "b""# : ""
        try fixture.sql(
            "select nudged_api.send_many('[{\"user_id\": \"\(F.user(1).uuidString)\"\(member == "title" ? "" : #", "title": "a""#)\(body), \"\(member)\": null}]'::jsonb)"
        )
        #expect(try fixture.sql("select count(*) from nudged.message") == "1")
    }

    /// A wall time has no zone: PostgreSQL would ignore it.
    @Test(arguments: ["T18:00:00Z", "T18:00:00.000Z", " 18:00+02", "T18:00:00-05:30", " 18:00:00 +0200"])
    func sendMany_whenAWallTimeHasAZone_namesIt(time: String) async throws {
        let fixture = try await F()
        let day = try fixture.sql("select to_char(now() + interval '3 days', 'YYYY-MM-DD')")
        func send(_ at: String) -> String {
            #"nudged_api.send_many('[{"user_id": "\#(F.user(1).uuidString)", "title": "a", "deliver_local": "\#(at)"}]'::jsonb)"#
        }
        #expect(try fixture.refusal("select \(send(day + time))").contains("message 0: deliver_local is no wall time"))
        for right in [day, day + "T18:00:00", day + " 18:00", day + "T18:00:00.5"] {
            try fixture.sql("select \(send(right))")
        }
    }
}
