import Postgres
import Synchronization
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_api.send` and its relatives, where an app breaks or races them. `CallTranscriptTests` has their rules.
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
        try fixture.sql("update nudged.message_key set at = now() - interval '31 days' where user_id = \(user)")
        #expect(try await fixture.store.pruneMessageKeys() == 1)
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
}
