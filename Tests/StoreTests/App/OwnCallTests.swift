import TestSupport
import Testing

@testable import Core

/// The signed-in user's calls: reminders, messages, preferences, zone and language, the decision service's status.
@Suite(.ownThreads) struct OwnCallTests {
    /// As the user, what a statement answers.
    private func own(_ fixture: F, _ user: Int, _ statement: String) throws -> String {
        try fixture.sql("set request.jwt.claim.sub = \(F.quoted(user)); set role authenticated; \(statement)")
    }

    private static func set(_ subject: String) -> String {
        "select id from nudged_me.set_reminder('task', '\(subject)', 'Water', '', due_at => now() + interval '1 day')"
    }

    @Test func reminders_whenTheUsersOwn_areSetListedSnoozedAndCancelled() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        let id = try own(fixture, 1, Self.set("7"))
        let list = "select id, subject_id, audience from nudged_me.list_reminders()"
        #expect(try own(fixture, 1, list) == "\(id)|7|me")
        #expect(try own(fixture, 2, list).isEmpty)
        #expect(try own(fixture, 1, "select outcome from nudged_me.history('\(id)')") == "waiting")
        let later = "now() + interval '2 days'"
        // Nobody snoozes or cancels somebody else's.
        #expect(try own(fixture, 2, "select done from nudged_me.snooze_reminder('\(id)', \(later))") == "0")
        #expect(try own(fixture, 2, "select done from nudged_me.cancel('\(id)')") == "0")
        #expect(try own(fixture, 2, "select done, too_late from nudged_me.cancel_reminders()") == "0|0")
        #expect(try own(fixture, 2, "select outcome from nudged_me.history('\(id)')").isEmpty)
        #expect(try own(fixture, 1, "select done from nudged_me.snooze_reminder('\(id)', \(later))") == "1")
        #expect(try fixture.sql("select due_at > now() + interval '1 day' from nudged.occurrence") == "t")
        #expect(try own(fixture, 1, "select done from nudged_me.cancel('\(id)')") == "1")
        _ = try own(fixture, 1, Self.set("8"))
        _ = try own(fixture, 1, Self.set("9"))
        #expect(try own(fixture, 1, "select done, too_late from nudged_me.cancel_reminders('task', '8')") == "1|0")
        #expect(try own(fixture, 1, "select done, too_late from nudged_me.cancel_reminders()") == "1|0")
        #expect(try own(fixture, 1, "select count(*) from nudged_me.history()") == "3")
    }

    /// Makes a call again and again as a user. Returns how many were made, and how many were refused.
    private func loop(_ fixture: F, _ call: String, _ times: Int) throws -> String {
        try fixture.sql(
            """
            set request.jwt.claim.sub = \(F.quoted(1)); set role authenticated;
            do $$ declare made integer := 0; refused integer := 0; hints text; begin
                for n in 1..\(times) loop
                    begin
                        \(call);
                        made := made + 1;
                    exception when sqlstate 'ND040' then
                        get stacked diagnostics hints = pg_exception_hint;
                        if hints ~ '^Wait until 20[0-9-]+T[0-9:]+Z. The owner of nudged can raise nudged.setting.max_calls_per_(hour|day).$' then
                            refused := refused + 1;
                        end if;
                    end;
                end loop;
                perform set_config('test.made', format('%s %s', made, refused), false);
            end $$;
            select current_setting('test.made')
            """
        )
    }

    /// What is set counts, whether it is sent, replaced or cancelled.
    @Test func reminders_whenReplacedTooOften_areRefused() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        let call =
            "perform nudged_me.set_reminder('task', (n % 7)::text, 'Water', '', due_at => now() + interval '1 second')"
        #expect(try loop(fixture, call, 510) == "500 10")
        // One is pending for each subject; the others are replaced.
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "7")
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "493")
        let anHourLater = "update nudged.own_call set hour_since = hour_since - interval '1 hour'"
        for _ in 1...3 {
            try fixture.sql(anHourLater)
            #expect(try loop(fixture, call, 501) == "500 1")
        }
        try fixture.sql(anHourLater)
        #expect(try loop(fixture, call, 1) == "0 1")
        try fixture.sql("update nudged.own_call set day_since = day_since - interval '1 day'")
        #expect(try loop(fixture, call, 1) == "1 0")
    }

    private static let writing: [String: String] = [
        "set_reminder":
            "perform nudged_me.set_reminder('task', '7', 'Water', '', due_at => now() + interval '1 day')",
        "snooze_reminder": "perform nudged_me.snooze_reminder(gen_random_uuid(), now() + interval '1 day')",
        "cancel": "perform nudged_me.cancel(gen_random_uuid())",
        "cancel_reminders": "perform nudged_me.cancel_reminders()",
        "cancel_messages": "perform nudged_me.cancel_messages()",
        "withdraw": "perform nudged_me.withdraw('2026-11-20')",
        "set_preferences": "perform nudged_me.set_preferences(null)",
        "register_device": "perform nudged_me.register_device('\(F.token(7))')",
        "unregister_device": "perform nudged_me.unregister_device('\(F.token(7))')",
        "preview": "perform nudged_me.preview('a', n::text)",
        "send_test": "perform nudged_me.send_test()", "opened": "perform nudged_me.opened('2026-11-20')",
        "feedback": "perform nudged_me.feedback('2026-11-20', true)",
    ]

    @Test(arguments: writing.keys.sorted()) func call_whenTheUserHasMadeTooMany_isRefused(name: String) async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql(
            """
            update public.push_tokens set environment = 'sandbox';
            insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state)
            values (gen_random_uuid(), 'a', 1, '1', now(), now(), '{"lanes": [{"environment": "sandbox"}]}');
            update nudged.setting set max_calls_per_hour = 2
            """
        )
        let call = try #require(Self.writing[name])
        #expect(try loop(fixture, call, 3) == "2 1")
        // Another user's calls count for them alone.
        try fixture.expect("select user_id = \(F.quoted(1)), hour_calls, day_calls from nudged.own_call", "t|2|2")
    }

    /// A call that is added later counts, or is among those that only read.
    @Test func calls_whenTheyOnlyRead_areTheOnlyOnesThatDontCount() async throws {
        let fixture = try await F.onSupabase()
        try fixture.expect(
            """
            select proname from pg_proc
            where pronamespace in ('nudged_api'::regnamespace, 'nudged_me'::regnamespace)
              and has_function_privilege('authenticated', oid, 'execute')
              and prosrc !~ format('nudged[.]counted_user[(]''nudged_me[.]%s''[)]', proname)
            order by 1
            """,
            [
                "export", "history", "list_reminders", "preferences", "preferences_fault",
                // It counts its questions.
                "preview",
                // It writes at most once a minute.
                "seen", "status", "waiting",
            ]
        )
        #expect(
            try fixture.lines(
                "select proname from pg_proc where pronamespace = 'nudged_me'::regnamespace and prosrc ~ 'counted_user' order by 1"
            ) == Self.writing.keys.filter { $0 != "preview" }.sorted()
        )
    }

    /// An app asks for the answer a few times a second.
    @Test func preview_whenItsAnswerIsAwaited_isOneCall() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql("update nudged.setting set max_calls_per_hour = 2")
        #expect(try loop(fixture, "perform nudged_me.preview('a', 'b')", 20) == "20 0")
        #expect(try fixture.sql("select hour_calls from nudged.own_call") == "1")
    }

    @Test func messages_whenTheUserCancelsTheirs_leaveOthers() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        for user in 1...2 { _ = try fixture.sendMessage(user, more: ", dedupe_key => 'chat-1', category => 'chat'") }
        _ = try fixture.sendMessage(1)
        #expect(try own(fixture, 1, "select count(*) from nudged_me.waiting()") == "2")
        let cancel = "select done, too_late from nudged_me.cancel_messages("
        #expect(try own(fixture, 1, "\(cancel)dedupe_prefix => 'chat-')") == "1|0")
        #expect(try own(fixture, 1, "\(cancel))") == "1|0")
        #expect(try fixture.lines("select right(user_id::text, 2) from nudged.message") == ["02"])
    }

    /// All that wait: a call for messages, and one for reminders.
    @Test func nudges_whenTheUserCancelsAll_areGone() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        for user in 1...2 {
            for subject in ["7", "8"] { _ = try fixture.setReminder(by: user, about: subject) }
            for more in ["", ", urgent => true, thread_id => 'ann', category => 'chat'"] {
                _ = try fixture.sendMessage(user, more: more)
            }
        }
        let cancel = "(select done from nudged_me.cancel_messages()), (select done from nudged_me.cancel_reminders())"
        #expect(try own(fixture, 1, "select \(cancel)") == "2|2")
        let left = "select count(*) from nudged_me.waiting()"
        #expect(try own(fixture, 1, left) == "0")
        #expect(try own(fixture, 2, left) == "4")
    }

    @Test func preferences_whenWritten_areChecked() async throws {
        let fixture = try await F.onSupabase()
        func set(_ value: String) -> String { "select nudged_me.set_preferences(\(value))" }
        // Without a profile, and with keys that are the app's own.
        let wanted = #"{"check_ins_enabled": true, "frequency": "daily", "colour": "red"}"#
        #expect(try own(fixture, 1, "select nudged_me.preferences() is null") == "t")
        _ = try own(fixture, 1, set("'\(wanted)'"))
        #expect(try own(fixture, 1, "select nudged_me.preferences() = '\(wanted)'") == "t")
        #expect(try own(fixture, 2, "select nudged_me.preferences() is null") == "t")
        #expect(try fixture.touched() == ["01"])
        #expect(try own(fixture, 1, "select nudged_me.preferences() = '\(wanted)'") == "t")
        _ = try own(fixture, 1, set("null"))
        #expect(try fixture.sql("select notification_preferences is null from public.context_profiles") == "t")
    }

    /// Written around the call: a few kilobytes of them would be gigabytes as text.
    @Test(arguments: [
        (
            "jsonb_build_object('x', (select jsonb_agg('1e131071'::jsonb) from generate_series(1, 12000)))",
            "hold a number"
        ),
        ("('{\"x\": ' || repeat('[', 600) || repeat(']', 600) || '}')::jsonb", "are nested"),
    ]) func preferences_whenTheyAreAbsurd_areNotRead(value: String, fault: String) async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql("update public.context_profiles set notification_preferences = \(value)")
        let answer = try fixture.attempt("authenticated", as: 1, "select nudged_me.preferences()")
        #expect(answer.state == "54000", "\(answer)")
        #expect(answer.message.contains("preferences: the preferences \(fault)"), "\(answer)")
    }

    /// The refused row is in no error: its preferences are the user's.
    @Test func preferences_whenTheTableRefusesThem_areNotShown() async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql("alter table public.context_profiles add colour text not null")
        let call =
            #"select nudged_me.set_preferences('{"check_ins_enabled": false, "frequency": "daily", "secret": "xyzzy"}')"#
        let answer = try fixture.attempt("authenticated", as: 1, call)
        #expect(answer.state == "23502" && answer.message.contains("colour"), "\(answer)")
        #expect(!(answer.message + answer.more).contains("xyzzy"), "\(answer)")
    }

    /// The app's own table is left alone, until its owner says otherwise.
    @Test func profiles_whenTheTableIsTheApps_areWrittenIfAllowed() async throws {
        let fixture = try await F.onSupabase(
            before:
                "create table public.context_profiles (user_id uuid primary key, notification_preferences json, timezone varchar(60));"
        )
        let set = #"select nudged_me.set_preferences('{"check_ins_enabled": true, "frequency": "daily"}')"#
        let register = "select nudged_me.register_device('\(F.token(1))', timezone => 'Asia/Tokyo', locale => 'ja')"
        let refused = try fixture.attempt("authenticated", as: 1, set)
        #expect(refused.state == "0A000" && refused.more.contains("nudged.allow('nudged_writer'"), "\(refused)")
        #expect(try fixture.perform("authenticated", as: 1, register) == "00000")
        #expect(try fixture.sql("select count(*) from public.context_profiles") == "0")
        try fixture.sql("select nudged.allow('nudged_writer', 'select, insert, update', 'public.context_profiles')")
        #expect(try fixture.perform("authenticated", as: 1, set) == "00000")
        #expect(try fixture.perform("authenticated", as: 1, register) == "00000")
        try fixture.expect(
            "select timezone, notification_preferences ->> 'frequency' from public.context_profiles",
            "Asia/Tokyo|daily"
        )
    }

    @Test func place_whenADeviceRegisters_isTheUsers() async throws {
        let fixture = try await F.onSupabase()
        func register(_ zone: String, _ locale: String) throws {
            _ = try own(
                fixture,
                1,
                "select nudged_me.register_device('\(F.token(1))', timezone => \(zone), locale => \(locale))"
            )
        }
        let place = "select timezone, nudge_context from public.context_profiles"
        try register("'Europe/Paris'", "'fr'")
        #expect(try fixture.sql(place) == #"Europe/Paris|{"locale": "fr"}"#)
        try fixture.sql(#"update public.context_profiles set nudge_context = nudge_context || '{"first_name": "Ann"}'"#)
        // A journey makes the user due.
        try fixture.forgetTouches()
        try register("'Asia/Tokyo'", "null")
        #expect(try fixture.sql(place) == #"Asia/Tokyo|{"locale": "fr", "first_name": "Ann"}"#)
        #expect(try fixture.touched() == ["01"])
        // Without one, nothing is written.
        try fixture.forgetTouches()
        let version = try fixture.sql("select xmin from public.context_profiles")
        try register("'Asia/Tokyo'", "'fr'")
        #expect(try fixture.sql("select xmin from public.context_profiles") == version)
        #expect(try fixture.touched().isEmpty)
    }

    /// A context that takes no more, or is none, doesn't keep the device from being registered.
    @Test(arguments: ["jsonb_build_object('a', repeat('x', 32740))", "'[]'"])
    func place_whenTheContextTakesNone_isLeftOut(context: String) async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(
            "insert into public.context_profiles (user_id, nudge_context) values (\(F.quoted(1)), \(context))"
        )
        let before = try fixture.sql("select md5(nudge_context::text) from public.context_profiles")
        let call = "select nudged_me.register_device('\(F.token(1))', timezone => 'Asia/Tokyo', locale => 'ja')"
        #expect(try fixture.perform("authenticated", as: 1, call) == "00000")
        try fixture.expect(
            "select timezone, md5(nudge_context::text) from public.context_profiles",
            "Asia/Tokyo|\(before)"
        )
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
    }

    /// A trigger of the app may raise anything. The device is registered all the same.
    @Test func place_whenATriggerRefusesIt_isLeftOut() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql(
            """
            update public.context_profiles set timezone = 'Europe/Paris', nudge_context = null;
            create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
            create trigger refused before update on public.context_profiles for each row execute function public.refuse()
            """
        )
        let call = "select nudged_me.register_device('\(F.token(9))', timezone => 'Asia/Tokyo', locale => 'ja')"
        #expect(try fixture.perform("authenticated", as: 1, call) == "00000")
        #expect(try fixture.sql("select timezone, nudge_context from public.context_profiles") == "Europe/Paris|")
        #expect(try fixture.sql("select count(*) from public.push_tokens where device_token = '\(F.token(9))'") == "1")
    }

    @Test func decisionStatus_always_isThatOfTheDaemonsThatRun() async throws {
        let fixture = try await F.onSupabase()
        func status() throws -> String { try own(fixture, 1, "select nudged_me.status()") }
        func daemon(_ state: String, seen: String = "now()") throws {
            try fixture.sql(
                """
                insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state)
                values (gen_random_uuid(), 'a', 1, '1', now(), \(seen), '\(state)')
                """
            )
        }
        #expect(try status() == "off")
        try daemon(#"{"decision": {"state": "active"}}"#, seen: "now() - interval '1 minute'")
        try daemon(#"{"decision": null}"#)
        #expect(try status() == "off")
        try daemon(#"{"decision": {"state": "using fallback"}}"#)
        #expect(try status() == "resting")
        try daemon(#"{"decision": {"state": "active"}}"#)
        #expect(try status() == "active")
    }
}
