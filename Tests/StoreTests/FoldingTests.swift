import NudgedPreferences
import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Names in ASCII, and values of the app's own tables, where a collation or another spelling could change them.
@Suite(.ownThreads) struct FoldingTests {
    /// In Turkish, the small letter of I has no dot. In Lithuanian and Azeri, i keeps or gets one.
    @Test(arguments: ["tr-TR", "az", "lt-LT", "de-DE"])
    func names_whenTheLocaleFoldsOtherwise_areTheSame(locale: String) async throws {
        let fixture = try await F(made: "encoding 'UTF8' locale_provider icu icu_locale '\(locale)' locale 'C.UTF-8'")
        #expect(try fixture.sql("select count(*) from nudged.excess_right") == "0")
        try fixture.seed(1...1)
        for platform in ["IOS", "iOS", " iPadOS ", "VISIONOS\r", "tvOS\t"] {
            try fixture.sql("update public.push_tokens set platform = '\(platform)'")
            #expect(try fixture.sql("select count(*) from nudged.device") == "1", "\(platform)")
            #expect(try fixture.sql("select nudged.devices_left_out(\(F.quoted(1))) is null") == "t", "\(platform)")
        }
        try fixture.sql("update public.push_tokens set platform = 'android'")
        #expect(try fixture.sql("select nudged.devices_left_out(\(F.quoted(1)))") == "android")
        let fault = try fixture.sql(
            #"select nudged_api.preferences_fault('{"TIMEZONE": "a/b", "check_ins_enabled": true}')"#
        )
        #expect(fault == "TIMEZONE is unknown: did you mean timezone?")
        let token = String(repeating: "AI", count: 32).replacing("I", with: "1")
        try fixture.sql("select nudged_api.register_device(\(F.quoted(1)), '\(token)')")
        try fixture.expect("select device_token from public.push_tokens where device_token ~ 'a1'", token.lowercased())
    }

    /// A caller's column, and columns of the app, that compare texts without regard to case.
    private static let blind =
        "create collation public.blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);"

    /// Every call, with its texts taken from such a column: it answers what it answers otherwise.
    @Test func calls_whenTheCallersTextsHaveACollation_answerTheSame() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            \(Self.blind)
            create schema auth;
            create function auth.uid() returns uuid language sql as $$ select \(F.quoted(1))::uuid $$;
            """
        )
        try fixture.seed(1...2)
        let calls = try fixture.lines(
            """
            select format('%s.%I(%s)', p.pronamespace::regnamespace, p.proname, (
                select string_agg(case
                    when t.typname = 'text' then format('(%L::text)', case a.name
                        when 'token' then repeat('ab', 32) when 'platform' then 'ios' when 'environment' then 'sandbox'
                        when 'topic' then 'com.example.app' when 'timezone' then 'Europe/Berlin' when 'locale' then 'de'
                        when 'recurrence' then 'FREQ=DAILY' when 'audience' then 'me' when 'rule' then 'FREQ=DAILY' else 'A' end)
                    when t.typname = '_uuid' then format('array[%L]::uuid[]', \(F.quoted(1)))
                    when t.typname = 'uuid' then format('%L::uuid', \(F.quoted(1)))
                    when t.typname in ('bool', 'int4') then '1::' || t.typname
                    when a.name in ('due_at') then 'now() + ''1 day''::interval' else 'null' end, ', ' order by a.place)
                from unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) with ordinality as a (type, name, place)
                join pg_type t on t.oid = a.type
            ))
            from pg_proc p where p.pronamespace in ('nudged_api'::regnamespace, 'nudged_me'::regnamespace) and 'text'::regtype = any (p.proargtypes)
            order by 1
            """
        )
        #expect(calls.count > 15)
        func answer(_ call: String) -> String {
            do {
                let ids = #/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/#
                return try fixture.sql("begin; select count(*) from \(call); rollback").replacing(ids, with: "id")
            } catch { return "\(error)" }
        }
        for call in calls {
            let blind = call.replacing("::text)", with: "::text collate public.blind)")
            #expect(answer(blind) == answer(call), "\(call)")
        }
        // Two keys that such a collation calls equal are two messages.
        let key = { (key: String) in
            "select (nudged_api.send(\(F.quoted(1)), 'a', 'b', dedupe_key => ('\(key)'::text collate public.blind))).id"
        }
        #expect(try fixture.sql(key("k")) != fixture.sql(key("K")))
    }

    /// The app's own columns: the daemon reads and deletes what they hold, and sees a change that they call none.
    @Test func tables_whenTheirTextsHaveACollation_areReadAsTheyAre() async throws {
        let fixture = try await F(
            made: "encoding 'UTF8' locale 'C.UTF-8'",
            app: """
                \(Self.blind)
                create table public.context_profiles (
                    user_id uuid primary key, notification_preferences text collate public.blind,
                    first_session_complete boolean, timezone text collate public.blind
                );
                create table public.push_tokens (
                    user_id uuid, device_token text collate public.blind, platform text collate public.blind,
                    environment text collate public.blind, topic text collate public.blind,
                    created_at timestamptz, updated_at timestamptz
                );
                """
        )
        try fixture.sql(
            """
            insert into public.context_profiles values (\(F.quoted(1)), '{}', true, 'europe/berlin');
            select nudged_api.register_device(\(F.quoted(1)), repeat('ab', 32), 'ios', 'sandbox');
            truncate nudged.touched;
            update public.context_profiles set timezone = 'Europe/Berlin';
            """
        )
        #expect(try fixture.sql("select count(*) from nudged.touched") == "1")
        try fixture.expect("select platform, nudged.devices_left_out(user_id) is null from public.push_tokens", "ios|t")
        try fixture.sql(
            "update public.push_tokens set platform = ' IOS', environment = 'Sandbox', created_at = '2026-01-01', updated_at = null"
        )
        #expect(try fixture.sql("select count(*) from nudged.device") == "1")
        let call = "nudged.forget_device(\(F.quoted(1)), repeat('ab', 32), 'Sandbox', 'a.b', now())"
        #expect(try fixture.sql("select \(call)") == "t")
    }

    // MARK: Subjects

    private static let capitals = "0F4A1C3E-9B7D-4C2A-8E5F-00112233ABCD"

    /// As Swift's `UUID().uuidString` writes it, with the documented trigger on a table whose id is a uuid.
    @Test func subject_whenItsIDIsAUUIDInCapitals_isThatOfTheTable() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            create table public.task (id uuid primary key);
            create trigger reminders_end after update or delete on public.task
            for each row execute function nudged_api.cancel_subject_reminders('task', 'id');
            insert into public.task values ('\(Self.capitals)');
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, id::text as subject_id, \(F.quoted(2))::uuid as user_id from public.task;
            """
        )
        let set = { (audience: String) in
            """
            select warnings from nudged_api.set_reminder(\(F.quoted(1)), 'task', '\(Self.capitals)', 'a', 'b',
                now() + interval '1 day', audience => '\(audience)')
            """
        }
        #expect(try fixture.sql(set("everyone")) == "{}")
        try fixture.expect(
            "select subject_id from nudged_api.list_reminders(\(F.quoted(1)))",
            Self.capitals.lowercased()
        )
        let members = try await fixture.store.claims.connection().run(
            Query.fanOutMembers([
                .text("task"), .text(Self.capitals.lowercased()), .null(.uuid), .int8(10), .null(.uuid), .uuidArray([]),
            ])
        )
        #expect(members.count == 1)
        try fixture.sql("delete from public.task")
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "0")
        // Both spellings are one subject, at every call.
        try fixture.sql(set("me"))
        try fixture.expect(
            "select done, too_late from nudged_api.cancel_reminders(null, 'task', '\(Self.capitals)')",
            "1|0"
        )
        try fixture.sql(set("me").replacing(Self.capitals, with: Self.capitals.lowercased()))
        try fixture.expect(
            "select done, too_late from nudged_api.cancel_reminders(\(F.quoted(1)), 'task', '\(Self.capitals)')",
            "1|0"
        )
    }

    /// The app keeps its ids as text, in capitals.
    @Test func everyone_whenTheViewHasCapitals_reachesItsMembers() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, '\(Self.capitals)'::text as subject_id, \(F.quoted(2))::uuid as user_id
            union all select 'task', 'a', \(F.quoted(1))::uuid;
            """
        )
        let warnings = { (id: String) in
            try fixture.sql(
                """
                select warnings from nudged_api.set_reminder(\(F.quoted(1)), 'task', '\(id)', 'a', 'b',
                    now() + interval '1 day', audience => 'everyone')
                """
            )
        }
        #expect(try warnings(Self.capitals) == "{}")
        #expect(try warnings("a") == "{}")
        // Any other id is as it was given.
        #expect(try warnings("A").contains("has no members"))
    }

    /// A new call with a subject must fold its id, too.
    @Test func calls_whenTheyHaveASubject_foldItsID() async throws {
        let fixture = try await F()
        let without = try fixture.lines(
            """
            select proname from pg_proc
            where pronamespace in ('nudged_api'::regnamespace, 'nudged_me'::regnamespace) and 'subject_id' = any (proargnames[1:pronargs])
              and strpos(prosrc, 'nudged.subject_key(') = 0
            """
        )
        #expect(without == [])
    }

    /// A value that can't be read hides no "no".
    @Test(arguments: ["1e200", "null"]) func preferences_whenTheyCantBeRead_keepTheirNo(value: String) async throws {
        let fixture = try await F()
        let deep = value == "null" ? String(repeating: "[", count: 600) + String(repeating: "]", count: 600) : value
        let read = try fixture.sql(
            #"select nudged.preferences_text('{"messages_enabled": false, "x": \#(deep)}'::jsonb)"#
        )
        #expect(Preferences(parsing: read).messagesEnabled == false, "\(read)")
        let other = try fixture.sql(
            #"select nudged.preferences_text('{"messages_enabled": true, "x": \#(deep)}'::jsonb)"#
        )
        #expect(Preferences(parsing: other).messagesEnabled && Preferences(parsing: other).malformed != nil)
        let known = try fixture.sql(#"select nudged.preferences_text('{"messages_enabled": \#(deep)}'::jsonb)"#)
        #expect(Preferences(parsing: known).messagesEnabled == false)
    }
}
