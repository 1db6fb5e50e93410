import Postgres
import TestSupport
import Testing

@testable import Core

/// `nudged_me.register_device` and `nudged_me.unregister_device`.
@Suite(.ownThreads) struct DeviceCallTests {
    private static func register(_ token: String, _ rest: String = "'ios'") -> String {
        "select nudged_me.register_device('\(token)', \(rest))"
    }

    private static func touches(_ fixture: F) throws -> [String] {
        try fixture.lines("select distinct right(user_id::text, 2) from nudged.touched order by 1")
    }

    @Test func device_whenNew_isThereAndItsUserIsDue() async throws {
        let fixture = try await F.onSupabase()
        let call = Self.register(F.token(1).uppercased(), "'ipados', 'sandbox', 'com.example.app'")
        #expect(try fixture.perform("authenticated", as: 1, call) == "00000")
        try fixture.expect(
            "select user_id, device_token, platform, environment, topic, created_at = updated_at, updated_at > now() - interval '1 minute' from public.push_tokens",
            "\(F.user(1).uuidString.lowercased())|\(F.token(1))|ipados|sandbox|com.example.app|t|t"
        )
        #expect(try Self.touches(fixture) == ["01"])
    }

    /// The row stays, the registration is new: an older 410 deletes nothing, and a quarantine ends.
    @Test func device_whenRegisteredAnew_isRenewed() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql(
            """
            update public.push_tokens set device_token = '\(F.token(1).uppercased())', created_at = now() + interval '1 day', topic = 'com.example.old';
            update nudged.person set quarantine = (
                select jsonb_build_array(jsonb_build_object(
                    'device', left(encode(sha256(convert_to(lower(token), 'UTF8')), 'hex'), 16), 'environment', 'sandbox', 'topic', 'com.example.app',
                    'registered_at', (extract(epoch from registered_at) * 1000000)::bigint, 'reason', 'BadDeviceToken'))
                from nudged.device);
            update public.push_tokens set topic = null;
            truncate nudged.touched;
            """
        )
        let id = try fixture.sql("select id from public.push_tokens")
        #expect(try fixture.sql("select count(*) from nudged.quarantined") == "1")
        #expect(try fixture.perform("authenticated", as: 1, Self.register(F.token(1))) == "00000")
        #expect(try fixture.sql("select count(*) from nudged.quarantined") == "0")
        #expect(try Self.touches(fixture) == ["01"])
        try fixture.expect(
            "select id, created_at <= updated_at, updated_at <= clock_timestamp(), updated_at > now() - interval '1 minute' from public.push_tokens",
            "\(id)|t|t|t"
        )
        // In one transaction, too: each call is an instant of its own.
        let twice = """
            begin; \(Self.register(F.token(1)).replacing("nudged_me.register_device(", with: "nudged_api.register_device(\(F.quoted(1)), "));
            create temporary table first as select updated_at from public.push_tokens;
            \(Self.register(F.token(1)).replacing("nudged_me.register_device(", with: "nudged_api.register_device(\(F.quoted(1)), "));
            select p.updated_at > f.updated_at from public.push_tokens p, first f; commit
            """
        #expect(try fixture.lines(twice).last == "t")
    }

    @Test func device_whenAnotherWasSignedInOnIt_isMoved() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...3)
        try fixture.sql(
            """
            update public.push_tokens set device_token = '\(F.token(1).uppercased())', environment = 'sandbox' where user_id = \(F.quoted(1));
            insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), '\(F.token(7))'), (\(F.quoted(2)), '\(F.token(1))');
            truncate nudged.touched;
            """
        )
        #expect(try fixture.perform("authenticated", as: 3, Self.register(F.token(1))) == "00000")
        // Each other device stays whose it is.
        try fixture.expect(
            "select right(user_id::text, 2), device_token, environment from public.push_tokens where device_token ~* 'c0ffee' order by 1",
            ["01|\(F.token(7))|", "03|\(F.token(1))|"]
        )
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "4")
        #expect(try Self.touches(fixture) == ["01", "02", "03"])
    }

    @Test func device_whenUnregistered_isGoneFromItsUserOnly() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        #expect(try fixture.perform("authenticated", as: 1, Self.register(F.token(1))) == "00000")
        func unregister(_ user: Int) throws -> String {
            try fixture.sql(
                "set request.jwt.claim.sub = \(F.quoted(user)); set role authenticated; select done from nudged_me.unregister_device('\(F.token(1).uppercased())')"
            )
        }
        #expect(try unregister(2) == "0")
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "2")
        #expect(try unregister(1) == "1")
        #expect(try unregister(1) == "0")
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
    }

    @Test func calls_whenForAUserByName_doTheSame() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        let token = F.token(1)
        let call = "select nudged_api.register_device(\(F.quoted(4)), '\(token)', topic => 'com.example.app')"
        #expect(try fixture.perform("nudged_app", call) == "00000")
        try fixture.expect(
            "select right(user_id::text, 2), device_token, platform, environment, topic from public.push_tokens",
            "04|\(token)|ios||com.example.app"
        )
        try fixture.expect(
            "set role nudged_app; select done from nudged_api.unregister_device(\(F.quoted(4)), '\(token)')",
            "1"
        )
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "0")
    }

    @Test func calls_whenNobodyIsSignedIn_areRefused() async throws {
        let fixture = try await F.onSupabase()
        let calls = [Self.register(F.token(1)), "select nudged_me.unregister_device('\(F.token(1))')"]
        for call in calls { #expect(try fixture.attempt("authenticated", call).state == "28000") }
        // Nor is there anybody where nothing says who.
        let plain = try await F()
        try plain.prepareAttempts()
        for call in calls {
            let answer = try plain.attempt("postgres", call)
            #expect(answer.state == "0A000" && answer.more.contains("schema nudged_api"), "\(answer)")
        }
    }

    // MARK: At once

    /// Two users register one phone at the same moment, where no key forbids it: the second takes it.
    @Test(.timeLimit(.minutes(10))) func device_whenTwoRegisterItAtOnce_isTheLasts() async throws {
        let fixture = try await F()
        func call(_ user: Int) -> String { "select nudged_api.register_device(\(F.quoted(user)), '\(F.token(1))')" }
        try await race(fixture, first: call(1), second: call(2))
        #expect(try fixture.sql("select right(user_id::text, 2) from public.push_tokens") == "02")
    }

    /// The app writes the row itself in that moment, without the lock that calls take: the call finds it then.
    @Test(.timeLimit(.minutes(10))) func device_whenTheAppWritesItAtOnce_isRenewed() async throws {
        let fixture = try await F()
        let row = "insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), '\(F.token(1))')"
        try await race(
            fixture,
            first: row,
            second: "select nudged_api.register_device(\(F.quoted(1)), '\(F.token(1))', 'visionos')"
        )
        #expect(try fixture.lines("select platform from public.push_tokens") == ["visionos"])
    }

    /// The second statement begins while the first's transaction is open, which ends once the second waits.
    private func race(_ fixture: F, first: String, second: String) async throws {
        let other = try await fixture.connection()
        let connection = try await fixture.connection()
        let waiting = try await connection.transaction { transaction in
            try await transaction.execute(script: first)
            let ended = Flag()
            let task = Task {
                defer { ended.raise() }
                try await other.execute(script: second)
            }
            try await fixture.untilSomebodyWaits { ended.isRaised }
            return task
        }
        try await waiting.value
    }

    // MARK: Tables that were there

    private static let found = """
        create type public.platform as enum ('ios', 'android');
        create table public.push_tokens (
            id bigint generated always as identity primary key, user_id uuid not null, device_token varchar(100) not null,
            platform public.platform not null, created_at timestamp not null default now(), updated_at timestamp, app_version text not null default '1'
        );
        """

    @Test func device_whenTheTableWasThere_isWrittenInItsTypes() async throws {
        let fixture = try await F.onSupabase(before: Self.found)
        for user in [1, 2, 2] {
            #expect(
                try fixture.perform("authenticated", as: user, Self.register(F.token(1), "'ios', 'sandbox'")) == "00000"
            )
        }
        try fixture.expect(
            "select right(user_id::text, 2), platform, environment, app_version from public.push_tokens",
            "02|ios|sandbox|1"
        )
        // `timestamp` holds UTC, whatever the session's zone is: a 410 of a minute ago deletes nothing, one of now does.
        let call = Self.register(F.token(1)).replacing(
            "nudged_me.register_device(",
            with: "nudged_api.register_device(\(F.quoted(2)), "
        )
        try fixture.sql("set timezone = 'America/New_York'; \(call)")
        func forget(_ at: String) throws -> String {
            try fixture.sql(
                "select nudged.forget_device(\(F.quoted(2)), '\(F.token(1))', 'sandbox', 'com.example.app', \(at))"
            )
        }
        #expect(try forget("now() - interval '1 minute'") == "f")
        #expect(try forget("clock_timestamp()") == "t")
    }

    /// A refusal by the table keeps its message, but not the row, which would show the token.
    @Test(arguments: [
        ("alter table public.push_tokens alter app_version drop default", "23502", "app_version"),
        ("alter table public.push_tokens add constraint short check (length(device_token) < 9)", "23514", "short"),
        (
            "create unique index once on public.push_tokens (platform); insert into public.push_tokens (user_id, device_token, platform) values (gen_random_uuid(), 'ab', 'ios')",
            "23505", "once"
        ),
        (
            "create function public.loud() returns trigger language plpgsql as $f$ begin raise exception 'no %', new.device_token using detail = new.device_token; end $f$; create trigger loud before insert on public.push_tokens for each row execute function public.loud()",
            "P0001", "(token)"
        ),
        ("drop table public.push_tokens cascade", "42P01", "push_tokens"),
    ]) func device_whenTheTableRefusesIt_isNotRepeated(change: String, state: String, word: String) async throws {
        let fixture = try await F.onSupabase(before: Self.found)
        try fixture.sql(change)
        let answer = try fixture.attempt("authenticated", as: 1, Self.register(F.token(1)))
        #expect(answer.state == state && answer.message.contains(word), "\(answer)")
        #expect(!(answer.message + answer.more).lowercased().contains("c0ffee"), "\(answer)")
    }

    /// A trigger that writes another table of the app needs rights of its own: the error says whose rights it has.
    @Test func device_whenATriggerNeedsMoreRights_isRefusedWithTheRemedy() async throws {
        let log = """
            create table public.log (user_id uuid); revoke all on public.log from anon, authenticated, service_role;
            create function public.note() returns trigger language plpgsql
            as $f$ begin insert into public.log values (new.user_id); return null; end $f$;
            create trigger note after insert on public.push_tokens for each row execute function public.note();
            """
        let fixture = try await F.onSupabase(before: Self.found + log)
        let answer = try fixture.attempt("authenticated", as: 1, Self.register(F.token(1)))
        #expect(answer.state == "42501" && answer.message.contains("permission denied for table log"), "\(answer)")
        #expect(answer.more.contains("nudged_writer") && answer.more.contains("SECURITY DEFINER"), "\(answer)")
        try fixture.sql("alter function public.note() security definer")
        #expect(try fixture.perform("authenticated", as: 1, Self.register(F.token(1))) == "00000")
        #expect(try fixture.sql("select count(*) from public.log") == "1")
    }

    /// A serial column takes its number from a sequence, on which a role needs a right.
    @Test func device_whenTheTableHasASerialColumn_isWritten() async throws {
        let serial = Self.found.replacing("id bigint generated always as identity", with: "id bigserial")
        let fixture = try await F.onSupabase(before: serial)
        for _ in 1...2 { #expect(try fixture.perform("authenticated", as: 1, Self.register(F.token(1))) == "00000") }
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
    }

    /// An app whose devices are in another table redefines the functions that write it. They run as nudged_writer.
    @Test func device_whenTheAppRedefinesTheFunction_isWrittenThere() async throws {
        let fixture = try await F.onSupabase(
            before: """
                create table public.devices (owner uuid, apns text primary key, seen timestamptz);
                create schema nudged;
                create view nudged.device as
                select distinct owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic
                from public.devices;
                """
        )
        let refused = try fixture.attempt("authenticated", as: 1, Self.register(F.token(1)))
        #expect(refused.state == "42P01" && refused.more.contains("redefine nudged.write_device"), "\(refused)")
        try fixture.sql(
            """
            create or replace function nudged.write_device(
                recipient uuid, spellings text[], platform text, environment text, topic text
            ) returns void
            language sql security definer set search_path = pg_catalog, pg_temp
            as $f$ insert into public.devices values (recipient, spellings[1], clock_timestamp()) $f$;
            select nudged.allow('nudged_writer', 'select, insert, update, delete', 'public.devices');
            select nudged.grant_roles();
            """
        )
        try fixture.expect("select count(*) from pg_proc where proowner = 'nudged_writer'::regrole and prosecdef", "9")
        #expect(try fixture.perform("authenticated", as: 1, Self.register(F.token(1))) == "00000")
        #expect(try fixture.sql("select right(owner::text, 2), apns from public.devices") == "01|\(F.token(1))")
    }

    @Test func values_whenTheTablesTypesHaveThemNot_areSaid() async throws {
        let fixture = try await F.onSupabase(before: Self.found)
        let platform = try fixture.attempt("authenticated", as: 1, Self.register(F.token(1), "'visionos'"))
        #expect(platform.state == "22P02" && platform.message.contains("visionos"), "\(platform)")
        // Refused, and not cut to what fits.
        let short = try await F.onSupabase(before: Self.found.replacing("varchar(100)", with: "varchar(10)"))
        let token = try short.attempt("authenticated", as: 1, Self.register(F.token(1)))
        #expect(token.state == "22001" && token.message.contains("character varying(10)"), "\(token)")
        #expect(!(token.message + token.more).lowercased().contains("c0ffee"), "\(token)")
    }
}
