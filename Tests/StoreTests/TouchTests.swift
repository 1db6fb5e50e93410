import LocalPostgres
import Postgres
import TestSupport
import Testing
import TimeZones

@testable import Core

@Suite(.ownThreads) struct TouchTests {
    private func touches(_ fixture: StoreFixture) throws -> Int {
        Int(try fixture.sql("select count(*) from nudged.touched")) ?? -1
    }

    @Test func triggers_whenNothingThatPolicyReadsChanges_appendNothing() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            alter table public.context_profiles add note text;
            update public.context_profiles set note = 'x', timezone = timezone, notification_preferences = notification_preferences;
            update public.push_tokens set updated_at = now(), platform = platform, device_token = device_token;
            """
        )
        #expect(try touches(fixture) == 0)
    }

    @Test(arguments: [
        "update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = ID",
        "update public.context_profiles set notification_preferences = null where user_id = ID",
        "update public.context_profiles set first_session_complete = false where user_id = ID",
        "delete from public.context_profiles where user_id = ID",
        "update public.push_tokens set device_token = 'ff' where user_id = ID",
        "update public.push_tokens set platform = 'android' where user_id = ID",
        "update public.push_tokens set environment = 'production' where user_id = ID",
        "update public.push_tokens set topic = 'x' where user_id = ID",
        "delete from public.push_tokens where user_id = ID",
        "insert into public.push_tokens (user_id, device_token) values (ID, 'ee')",
    ]) func triggers_whenAPolicyColumnChanges_appendOne(statement: String) async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(statement.replacing("ID", with: F.quoted(1)))
        #expect(try fixture.lines("select user_id from nudged.touched") == [F.user(1).uuidString.lowercased()])
    }

    /// However many rows a statement changes, it is one touch for each user.
    @Test func triggers_whenAStatementChangesManyRowsOfAUser_appendOne() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            update nudged.setting set max_devices = 10000;
            insert into public.push_tokens (user_id, device_token) select \(F.quoted(1)), 'x' || n from generate_series(1, 5000) n
            """
        )
        #expect(try touches(fixture) == 1)
        try fixture.sql("truncate nudged.touched; update public.push_tokens set topic = 'x'")
        #expect(try touches(fixture) == 2)
        try fixture.sql("truncate nudged.touched; delete from public.push_tokens")
        #expect(try touches(fixture) == 2)
    }

    @Test func triggers_whenAStatementChangesNothing_appendNothing() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            "update public.context_profiles set timezone = 'UTC' where false; delete from public.push_tokens where false"
        )
        #expect(try touches(fixture) == 0)
    }

    /// As text these would be longer than PostgreSQL allows.
    @Test func triggers_whenAValueIsHugeAsText_appendOne() async throws {
        let fixture = try await F.withUsers(1...1)
        let value = "(select jsonb_build_object('x', jsonb_agg(1e131071::numeric)) from generate_series(1, 9000))"
        try fixture.sql(
            """
            alter table public.context_profiles drop constraint notification_preferences_size;
            update public.context_profiles set notification_preferences = \(value);
            update public.context_profiles set notification_preferences = \(value);
            update public.context_profiles set notification_preferences = notification_preferences
            """
        )
        #expect(try touches(fixture) == 1)
    }

    /// A column that is gone: the app's statement goes on, and all of its users are touched. A type without equality is
    /// compared by its bytes.
    @Test(arguments: [
        ("alter table public.context_profiles drop column timezone cascade", 2),
        ("alter table public.context_profiles drop column timezone cascade, add column timezone xml", 0),
    ]) func triggers_whenAColumnIsGone_touchAllOfTheStatement(change: String, count: Int) async throws {
        let fixture = try await F.withUsers(1...3)
        try fixture.sql(
            """
            \(change);
            update public.context_profiles set first_session_complete = first_session_complete where user_id <> \(F.quoted(3))
            """
        )
        #expect(try touches(fixture) == count)
    }

    /// json has no equality.
    @Test func triggers_whenPreferencesAreJSON_appendOnlyWhereTheyChange() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            "create table public.context_profiles (user_id uuid primary key, notification_preferences json); insert into public.context_profiles values (\(F.quoted(1)), '{\"a\": 1}')"
        )
        try await fixture.migrate()
        try fixture.sql("update public.context_profiles set notification_preferences = '{\"a\": 1}'")
        #expect(try touches(fixture) == 0)
        try fixture.sql("update public.context_profiles set notification_preferences = '{\"a\": 2}'")
        #expect(try touches(fixture) == 1)
        try fixture.sql("update public.context_profiles set notification_preferences = null")
        #expect(try touches(fixture) == 2)
    }

    /// Each one would be a subtransaction; more than 64 of them in one transaction slow down everybody's snapshots.
    @Test func triggers_whenTheyWrite_takeNoSubtransaction() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.expect(
            """
            begin;
            update public.context_profiles set timezone = 'UTC';
            update public.context_profiles set timezone = 'Asia/Tokyo';
            select count(distinct xmin::text) from nudged.touched;
            commit
            """,
            "1"
        )
    }

    /// As with a full disk. An insert can be repeated, and a lost touch would be a lost change.
    @Test func triggers_whenTouchesCantBeWritten_letDeletionsPass() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql("alter table nudged.touched add constraint x check (false) not valid")
        for table in ["public.push_tokens", "public.context_profiles"] {
            try fixture.sql("delete from \(table)")
            #expect(try fixture.sql("select count(*) from \(table)") == "0")
        }
        #expect(throws: LocalPostgresError.self) {
            try fixture.sql("insert into public.context_profiles (user_id) values (\(F.quoted(1)))")
        }
    }

    @Test func triggers_whenADeviceChangesHands_touchBoth() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql("update public.push_tokens set user_id = \(F.quoted(2)) where user_id = \(F.quoted(1))")
        #expect(try touches(fixture) == 2)
    }

    @Test func triggers_whenTheAppsRoleHasNoRightsOnNudged_stillAppend() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            """
            create role "app_\(fixture.name)";
            grant select, insert, update, delete on public.context_profiles, public.push_tokens to "app_\(fixture.name)";
            alter table public.context_profiles disable row level security; alter table public.push_tokens disable row level security;
            set role "app_\(fixture.name)";
            update public.context_profiles set timezone = 'Asia/Tokyo';
            insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), 'ee');
            """
        )
        #expect(try touches(fixture) == 2)
        #expect(throws: LocalPostgresError.self) {
            try fixture.sql("set role \"app_\(fixture.name)\"; select nudged_api.touch(\(F.quoted(1)))")
        }
        try fixture.sql("drop owned by \"app_\(fixture.name)\"; drop role \"app_\(fixture.name)\"")
    }

    @Test func drain_whenUsersWereTouched_makesThemDueAndRaisesTheirVersion() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            "update nudged.person set due_at = '2030-01-01'; insert into nudged.touched (user_id) values (\(F.quoted(1))), (\(F.quoted(1))); insert into public.context_profiles (user_id) values (\(F.quoted(7)))"
        )
        #expect(try await fixture.drain(100) == 3)
        #expect(try touches(fixture) == 0)
        try fixture.expect(
            "select version, due_at <= '2026-11-20 12:00Z', touched_at is not null from nudged.person where user_id = \(F.quoted(1))",
            "4294967296|t|t"
        )
        try fixture.expect(
            "select version, due_at = '2026-11-20 12:00Z' from nudged.person where user_id = \(F.quoted(7))",
            "1|t"
        )
    }

    @Test func drain_whenTheUserIsDueAlready_keepsTheirPlace() async throws {
        let fixture = try await F.withUsers(1...1)
        let before = try fixture.sql("select due_at from nudged.person")
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        try await fixture.drain(100)
        #expect(try fixture.sql("select due_at from nudged.person") == before)
    }

    /// The app's transaction must not wait for any row that the daemon holds.
    @Test func update_whenTheDaemonHoldsThePersonAndTheTouches_doesNotWait() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        let holder = try await fixture.connection()
        _ = try await holder.transaction { transaction in
            try await transaction.execute(
                script: "update nudged.person set version = version + 1; delete from nudged.touched"
            )
            // Any wait would end in an error, not in time.
            return try fixture.sql(
                "set lock_timeout = '1ms'; set statement_timeout = '20s'; update public.context_profiles set timezone = 'Asia/Tokyo'; delete from public.push_tokens"
            )
        }
        #expect(try touches(fixture) == 2)
    }
}
