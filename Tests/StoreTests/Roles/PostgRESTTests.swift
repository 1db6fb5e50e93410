import Postgres
import TestSupport
import Testing

@testable import Core

/// Attacks on another user, as PostgREST makes a session: `authenticator` logs in, takes a role for each
/// transaction, and says in the claims who is signed in. And with the daemon's own login.
@Suite(.ownThreads) struct PostgRESTTests {
    /// What comes of an attack: an SQLSTATE, or the one value.
    enum Outcome: Equatable {
        case refused(String)
        case value(String)
    }

    struct Attack {
        let role: String
        let statement: String
        let outcome: Outcome

        /// - Parameter statement: `MESSAGE`, `REMINDER`, `NUDGE` and `VICTIM` stand for the other user's.
        init(_ role: String, _ statement: String, _ outcome: Outcome) {
            self.role = role
            self.statement = statement
            self.outcome = outcome
        }
    }

    private static let (denied, nothing) = (Outcome.refused("42501"), Outcome.value("0"))

    private static let attacks: [Attack] =
        [
            // Another user's texts and history, also from a place that is theirs.
            ("select count(*)::text from nudged_me.waiting()", nothing),
            ("select count(*)::text from nudged_me.waiting(after => MESSAGE)", nothing),
            ("select count(*)::text from nudged_me.history(id => MESSAGE)", nothing),
            ("select count(*)::text from nudged_me.history(id => REMINDER)", nothing),
            ("select count(*)::text from nudged_me.list_reminders(after => REMINDER)", nothing),
            ("select count(*)::text from nudged_me.export() where content::text ~ VICTIM", nothing),
            // To end, move or mark what is theirs.
            ("select done::text from nudged_me.cancel(MESSAGE)", nothing),
            ("select done::text from nudged_me.cancel(REMINDER)", nothing),
            ("select done::text from nudged_me.cancel_messages(category => 'bills')", nothing),
            ("select done::text from nudged_me.cancel_reminders('task', '7')", nothing),
            ("select done::text from nudged_me.snooze_reminder(REMINDER, now() + interval '1 day')", nothing),
            ("select done::text from nudged_me.opened(NUDGE)", nothing),
            ("select done::text from nudged_me.feedback(NUDGE, true)", nothing),
            // Their rows.
            ("select count(*)::text from public.push_tokens where user_id = VICTIM", nothing),
            (
                "with d as (delete from public.push_tokens where user_id = VICTIM returning 1) select count(*)::text from d",
                nothing
            ),
            ("insert into public.push_tokens (user_id, device_token) values (VICTIM, 'ab')", denied),
            ("update public.push_tokens set topic = 'mine'", denied),
            (
                "with d as (update public.context_profiles set timezone = 'mine' where user_id = VICTIM returning 1) select count(*)::text from d",
                nothing
            ),
            ("update public.context_profiles set user_id = VICTIM", denied),
            // The backend's calls, and what is behind the calls.
            ("select nudged_api.send(VICTIM, 'a', 'b')", denied), ("select nudged_api.opened(VICTIM, NUDGE)", denied),
            ("select nudged_api.seen(VICTIM)", denied), ("select nudged_api.forget(VICTIM)", denied),
            ("select 1 from nudged.message", denied), ("select 1 from nudged.delivery", denied),
            ("select nudged.note_seen(VICTIM)", denied),
            ("select nudged.note_answer('', VICTIM, NUDGE, 'opened')", denied),
            ("select pg_catalog.pg_read_file('/etc/passwd')", denied),
        ].map { Attack("authenticated", $0.0, $0.1) }
        + [
            "select 1 from nudged_me.waiting()", "select nudged_me.opened(NUDGE)", "select nudged_me.seen()",
            "select nudged_api.send(VICTIM, 'a', 'b')", "select 1 from public.push_tokens",
        ].map { Attack("anon", $0, denied) }
        // It may make all calls for backends, and has nothing else.
        + [
            "select 1 from nudged.message", "update nudged.setting set max_messages = 1", "select nudged.grant_roles()",
            "insert into nudged.message default values", "select 1 from nudged_me.waiting()",
            "select nudged.forget_devices('{}', '{}', '{}', '{}', '{}', '{}', now())",
            "create function nudged_api.mine() returns int language sql as 'select 1'",
            "select nudged.allow('service_role', 'select', 'nudged.message')", "select * from pg_catalog.pg_authid",
        ].map { Attack("service_role", $0, denied) }
        + [
            "delete from nudged.delivery", "truncate nudged.delivery",
            "update nudged.delivery set outcome = 'accepted'",
            "update nudged.setting set retention_days = 1", "insert into nudged.message default values",
            "select 1 from public.push_tokens", "update public.push_tokens set topic = 'mine'",
            "delete from public.context_profiles", "select nudged_api.send(VICTIM, 'a', 'b')",
            "select nudged_me.seen()", "select nudged.note_seen(VICTIM)", "set local role postgres",
            "create table nudged.mine ()", "select nudged.grant_roles()",
            "select pg_catalog.pg_read_file('/etc/passwd')",
            "update nudged.template set body = 'mine'",
        ].map { Attack("nudged_daemon", $0, denied) }
        + [
            // Without a 410 in the record.
            Attack(
                "nudged_daemon",
                """
                select nudged.forget_devices(array[VICTIM]::uuid[], array['\(F.token(2))'], '{sandbox}',
                    '{com.example.app}', array['infinity']::timestamptz[], '{00000000-0000-4000-8000-000000000001}', now())::text
                """,
                nothing
            )
        ]

    /// All that is stored of the other user, and the settings.
    private static let stored = {
        let tables = [
            "nudged.message", "nudged.occurrence", "nudged.delivery", "nudged.person", "nudged.touched",
            "public.push_tokens", "public.context_profiles",
        ]
        let rows = tables.map { "select t::text from \($0) t where user_id = \(F.quoted(2))" }
        return "select string_agg(t, ',' order by t) from (\(rows.joined(separator: " union all "))"
            + " union all select t::text from nudged.setting t) r (t)"
    }()

    /// A statement as PostgREST has it run, or with the daemon's login.
    private func outcome(
        _ connection: Connection,
        _ role: String,
        claims: String,
        _ statement: String
    ) async -> Outcome {
        let isLogin = role == "nudged_daemon"
        let login = "set local session authorization \(isLogin ? role : "authenticator")"
        do throws(PostgresError) {
            let rows = try await connection.transaction([
                Statement("login", sql: login), Statement("role", sql: "set local role \(isLogin ? "none" : role)"),
                Statement("claims", sql: "select set_config('request.jwt.claims', '\(claims)', true)"),
                Statement("attack", sql: statement),
            ])
            return .value(rows[3].count > 0 ? try rows[3].text(0, 0) : "")
        } catch {
            return .refused(error.sqlState ?? "\(error)")
        }
    }

    @Test func attacks_onAnotherUser_changeAndShowNothing() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        let nudge = "00000000-0000-4000-8000-0000000000aa"
        let victim = "set request.jwt.claim.sub = \(F.quoted(2)); set role authenticated"
        let message = try fixture.sql("select (nudged_api.send(\(F.quoted(2)), 'a', 'b', category => 'bills')).id")
        let reminder = try fixture.sql(
            "\(victim); select id from nudged_me.set_reminder('task', '7', 'a', '', due_at => now() + interval '1 day')"
        )
        try fixture.sql(
            """
            update public.push_tokens set device_token = '\(F.token(2))', environment = 'sandbox', topic = 'com.example.app'
            where user_id = \(F.quoted(2));
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            values (\(F.quoted(2)), 'message', '\(nudge)', 'aa', 'accepted', now(), gen_random_uuid())
            """
        )
        let before = try fixture.sql(Self.stored)
        let connection = try await fixture.connection()
        let claims = "{\"sub\": \"\(F.user(1).uuidString)\", \"role\": \"authenticated\"}"
        for attack in Self.attacks {
            let statement = attack.statement.replacing("MESSAGE", with: "'\(message)'")
                .replacing("REMINDER", with: "'\(reminder)'").replacing("NUDGE", with: "'\(nudge)'")
                .replacing("VICTIM", with: F.quoted(2))
            let outcome = await outcome(connection, attack.role, claims: claims, statement)
            #expect(outcome == attack.outcome, "\(attack.role): \(statement)")
            #expect(try fixture.sql(Self.stored) == before, "\(attack.role): \(statement)")
        }
        // The same calls, by their user.
        let own = "{\"sub\": \"\(F.user(2).uuidString)\"}"
        for (statement, done) in [
            ("select count(*)::text from nudged_me.waiting()", "2"),
            ("select done::text from nudged_me.opened('\(nudge)')", "1"),
            ("select done::text from nudged_me.cancel('\(message)')", "1"),
            ("select done::text from nudged_me.cancel('\(reminder)')", "1"),
        ] {
            #expect(await outcome(connection, "authenticated", claims: own, statement) == .value(done), "\(statement)")
        }
    }

    /// Claims that name nobody, or are none.
    @Test(arguments: ["", "{}", #"{"sub": null}"#, #"{"sub": ""}"#, #"{"sub": "me"}"#, #"["sub"]"#, "sub"])
    func claims_whenTheyNameNobody_areRefusedByEachCall(claims: String) async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        let connection = try await fixture.connection()
        for call in [
            "waiting()", "history()", "seen()", "send_test()", "cancel_messages(category => 'a')", "preferences()",
            "status()",
        ] {
            let outcome = await outcome(connection, "authenticated", claims: claims, "select nudged_me.\(call)")
            #expect(outcome == .refused("28000"), "\(call)")
        }
    }
}
