import TestSupport
import Testing

@testable import Core

/// The app's table has another owner than schema nudged, and that owner's trigger runs inside nudged's calls. It has
/// the rights of nudged_writer there: it reads nothing of nudged, and changes no function.
@Suite(.ownThreads) struct ForeignTriggerTests {
    /// What the trigger tries.
    private static let tries = [
        "select title from nudged.message", "select * from nudged.delivery", "select token from nudged.device",
        "select 1 from nudged.person for update", "select (nudged_api.forget(gen_random_uuid())).done",
        "alter function nudged.write_device(uuid, text[], text, text, text) security invoker",
        "alter function nudged.forget_device(uuid, text, text, text, timestamptz) security invoker",
        "create function nudged.mine() returns integer language sql as 'select 1'",
        "set role nudged_daemon", "set session_replication_role = replica",
    ]

    /// A migrated database with a role, a schema `app` of that role, and a trigger function that notes what it could
    /// do. `before` and `after` the migration: statements in which OWNER is the role.
    private static func fixture(before: String = "", after: String = "") async throws -> F {
        let fixture = try await F(migrated: false)
        let owner = "owner_\(fixture.name)"
        let list = tries.map { "$try$\($0)$try$" }.joined(separator: ", ")
        let function = """
            create role OWNER; create schema app authorization OWNER; grant usage on schema app to public;
            create table app.noted (who text, statement text, state text); alter table app.noted owner to OWNER;
            grant insert on app.noted to public;
            create function app.note() returns trigger language plpgsql as $f$
            declare
                one text;
            begin
                foreach one in array array[\(list)] loop
                    begin
                        execute one;
                        insert into app.noted values (current_user, one, '00000');
                    exception when others then
                        insert into app.noted values (current_user, one, sqlstate);
                    end;
                end loop;
                return null;
            end $f$;
            alter function app.note() owner to OWNER;
            """
        try fixture.sql(F.supabase + (function + before).replacing("OWNER", with: owner))
        try await fixture.migrate()
        try fixture.prepareAttempts()
        if !after.isEmpty { try fixture.sql(after.replacing("OWNER", with: owner)) }
        try fixture.sql(
            "insert into nudged.message (user_id, id, title, body) values (\(F.quoted(1)), gen_random_uuid(), 'secret', '')"
        )
        return fixture
    }

    /// Every attempt was made as nudged_writer, and was refused.
    private func expectRefusals(_ fixture: F) throws {
        let noted = try fixture.lines("select distinct who, statement, state from app.noted order by 1, 2, 3")
        #expect(noted.count == Self.tries.count)
        for line in noted { #expect(line.hasPrefix("nudged_writer|") && line.hasSuffix("|42501"), "\(line)") }
        try fixture.sql("truncate app.noted")
    }

    @Test func trigger_whenADeviceIsWritten_readsNothing() async throws {
        let fixture = try await Self.fixture(
            before: """
                create table public.push_tokens (
                    user_id uuid, device_token text, platform text, environment text, topic text,
                    created_at timestamptz, updated_at timestamptz
                );
                alter table public.push_tokens owner to OWNER;
                create trigger note after insert or update or delete on public.push_tokens
                for each row execute function app.note();
                """
        )
        let (token, other) = (F.token(1), F.token(2))
        func call(_ role: String, as user: Int? = nil, _ statement: String) throws {
            #expect(try fixture.perform(role, as: user, "select \(statement)") == "00000", "\(statement)")
            try expectRefusals(fixture)
        }
        // An insert, an update, a delete with an insert, a delete.
        for user in [1, 1, 2] {
            try call("authenticated", as: user, "nudged_me.register_device('\(token)', environment => 'sandbox')")
        }
        try call("authenticated", as: 2, "nudged_me.unregister_device('\(token)')")
        try call("nudged_app", "nudged_api.register_device(\(F.quoted(1)), '\(token)')")
        try call("service_role", "nudged_api.register_device(\(F.quoted(1)), '\(other)')")
        try call("nudged_app", "nudged_api.unregister_device(\(F.quoted(1)), '\(other)')")
        try call("nudged_daemon", fixture.recorded410(1, token))
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "0")
    }

    /// A cast of the table's owner runs inside the call that names other platforms, for `nudged explain`.
    @Test func cast_whenOtherPlatformsAreRead_runsWithoutRights() async throws {
        let fixture = try await Self.fixture(
            before: """
                create type app.platform as (name text); alter type app.platform owner to OWNER;
                create function app.spelt(app.platform) returns text language plpgsql as $f$
                begin
                    insert into app.noted values (current_user, 'cast', '00000');
                    return ($1).name;
                end $f$;
                create cast (app.platform as text) with function app.spelt(app.platform);
                create table public.push_tokens (
                    user_id uuid, device_token text, platform app.platform, environment text, topic text,
                    created_at timestamptz, updated_at timestamptz
                );
                alter table public.push_tokens owner to OWNER;
                """
        )
        try fixture.sql(
            "insert into public.push_tokens (user_id, device_token, platform) values (\(F.quoted(1)), 'a', row('Android'))"
        )
        let read = "set role nudged_daemon; select nudged.devices_left_out(\(F.quoted(1)))"
        #expect(try fixture.sql(read) == "Android")
        #expect(try fixture.lines("select distinct who from app.noted") == ["nudged_writer"])
    }

    /// The table's owner gives the user's id another type, with casts that run a function of theirs.
    @Test func cast_whenAUsersIDIsOfATypeOfTheApps_isNotCalledWithNudgedsRights() async throws {
        let fixture = try await Self.fixture(
            before: "create table auth.users (id uuid primary key);",
            after: """
                create type app.id as enum (\(F.quoted(1)), \(F.quoted(2)));
                create function app.as_uuid(app.id) returns uuid language plpgsql as $f$
                begin
                    insert into app.noted values (current_user, 'cast', '00000');
                    return \(F.quoted(1));
                end $f$;
                create function app.as_text(app.id) returns text language plpgsql as $f$
                begin
                    insert into app.noted values (current_user, 'cast', '00000');
                    return '1';
                end $f$;
                create cast (app.id as uuid) with function app.as_uuid as implicit;
                create cast (app.id as text) with function app.as_text as implicit;
                alter table public.context_profiles drop column user_id cascade, add column user_id app.id;
                alter table public.push_tokens drop column user_id cascade, add column user_id app.id;
                alter table auth.users drop column id cascade, add column id app.id;
                """
        )
        let other = "select right(user_id::text, 1) from nudged.touched order by 1"
        for (statement, touched) in [
            ("insert into public.context_profiles (user_id) values (\(F.quoted(2)))", ["2"]),
            ("update public.context_profiles set timezone = 'UTC'", ["2"]),
            ("update public.context_profiles set user_id = \(F.quoted(1))", ["1", "2"]),
            ("alter table public.context_profiles drop column timezone cascade", []),
            ("update public.context_profiles set user_id = \(F.quoted(2))", ["1", "2"]),
            ("delete from public.context_profiles", ["2"]),
            ("insert into public.push_tokens (user_id, device_token) values (\(F.quoted(2)), 'a')", ["2"]),
            ("update public.push_tokens set device_token = 'b'", ["2"]),
            ("update public.push_tokens set user_id = \(F.quoted(1))", ["1", "2"]),
            ("delete from public.push_tokens", ["1"]),
            ("insert into auth.users values (\(F.quoted(2)))", []),
            ("delete from auth.users", ["2"]),
            ("update nudged.departed set due_at = '2026-01-01'; select nudged.erase_departed()", []),
        ] {
            try fixture.sql("truncate nudged.touched; \(statement)")
            #expect(try fixture.lines(other) == touched, "\(statement)")
            // nudged_writer deletes devices above the limit, and has no other right.
            let callers = try fixture.lines("select distinct who from app.noted where who <> 'nudged_writer'")
            #expect(callers.isEmpty, "\(statement)")
            try fixture.sql("truncate app.noted")
        }
    }

    /// A view of the app has the name of the table that the triggers were made for.
    @Test func view_whenItHasTheNameOfTheDevices_isReadWithoutRights() async throws {
        let fixture = try await Self.fixture(
            after: """
                create function app.spy() returns boolean language plpgsql as $f$
                begin insert into app.noted values (current_user, 'view', '00000'); return true; end $f$;
                alter table public.push_tokens rename to devices;
                create view public.push_tokens as select * from public.devices where app.spy();
                grant select on public.push_tokens to nudged_writer;
                """
        )
        try fixture.sql("insert into public.devices (user_id, device_token) values (\(F.quoted(1)), 'a')")
        #expect(try fixture.lines("select distinct who from app.noted") == ["nudged_writer"])
    }

    /// The limit deletes the oldest devices in a trigger of nudged's, which has its owner's rights.
    @Test func trigger_whenTheLimitDropsADevice_readsNothing() async throws {
        let fixture = try await Self.fixture(
            after: """
                alter table public.push_tokens owner to OWNER;
                create trigger note after delete on public.push_tokens for each row execute function app.note();
                update nudged.setting set max_devices = 1;
                """
        )
        try fixture.sql(
            """
            set role owner_\(fixture.name);
            insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), 'a'), (\(F.quoted(1)), 'b')
            """
        )
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
        try expectRefusals(fixture)
    }

    /// A token that is deleted through the app's own view.
    @Test func trigger_whenTheViewIsTheApps_readsNothing() async throws {
        let fixture = try await Self.fixture(
            before: """
                create table public.devices (owner uuid, apns text, seen timestamptz);
                alter table public.devices owner to OWNER;
                create trigger note after delete on public.devices for each row execute function app.note();
                create schema nudged;
                create view nudged.device as
                select owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic
                from public.devices;
                """
        )
        #expect(try fixture.sql("select has_schema_privilege('nudged_writer', 'nudged', 'usage')") == "f")
        for token in ["a", "b"] {
            try fixture.sql("insert into public.devices values (\(F.quoted(1)), '\(token)', '2026-01-01')")
            let forget = try fixture.recorded410(1, token)
            #expect(try fixture.sql("set role nudged_daemon; select \(forget)") == "1")
            try expectRefusals(fixture)
        }
        #expect(try fixture.sql("select count(*) from public.devices") == "0")
    }
}
