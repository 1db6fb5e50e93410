import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Tokens that a 410 proved stale.
@Suite(.ownThreads) struct StaleTokenTests {
    /// The settlement of one push that was answered so.
    private static func settlement(
        _ fixture: F,
        _ user: ClaimedUser,
        member: UUID,
        after milliseconds: Int64 = 0,
        environment: String = "sandbox",
        topic: String = "com.example.app"
    ) throws -> Settlement {
        let apnsID = UUID()
        let hash = try fixture.hash(user.devices[0].token)
        var change = F.change(user, F.record(user, .rejected, hash: hash, status: 410, apnsID: apnsID))
        change.staleTokens = [
            StaleToken(
                userID: user.userID,
                token: user.devices[0].token,
                environment: environment,
                topic: topic,
                unregisteredAt: F.now.seconds * 1000 + milliseconds,
                apnsID: apnsID
            )
        ]
        return Settlement(member, [change])
    }

    @Test(arguments: [
        // Registered at 12:00:00.500; Apple's instant in milliseconds, environment, topic, and whether the token goes.
        (500, "sandbox", "com.example.app", false), (501, "sandbox", "com.example.app", true),
        (499, "sandbox", "com.example.app", false), (999_999, "production", "com.example.app", false),
        (999_999, "sandbox", "com.example.other", false),
    ])
    func settle_whenRegisteredBeforeTheInstant_andOnlyThen(after: Int64, environment: String, topic: String, goes: Bool)
        async throws
    {
        let (fixture, member, users) = try await F.claimed(1...1)
        try fixture.sql(
            "update public.push_tokens set updated_at = '2026-11-20 12:00:00.500Z', environment = 'sandbox', topic = 'com.example.app'"
        )
        let result = try await fixture.store.settle(
            Self.settlement(fixture, users[0], member: member, after: after, environment: environment, topic: topic)
        )
        #expect(result.tokensDeleted == (goes ? 1 : 0))
        #expect(try fixture.sql("select count(*) from public.push_tokens") == (goes ? "0" : "1"))
    }

    /// A promoted standby without the intent, or a member that has ended. The user is due again, and the device must
    /// still be there. Otherwise nothing would record the nudge's outcome.
    @Test(arguments: ["delete from nudged.person"])
    func settle_whenTheAnswerIsNotRecorded_leavesTheToken(what: String) async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        _ = try await fixture.store.commit(F.intent([users[0]], member: member))
        try fixture.sql(what)
        let result = try await fixture.store.settle(Self.settlement(fixture, users[0], member: member, after: 1))
        #expect(result.settled.count == 0 && result.tokensDeleted == 0)
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "0")
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "2")
    }

    /// A trigger or a foreign key of the app's refuses that tokens are deleted: of all users, or of one.
    @Test(arguments: [0, 3]) func settle_whenTheAppsTableRefusesTheDeletion_recordsTheOutcomes(only: Int) async throws {
        let (fixture, member, users) = try await F.claimed(1...12)
        try fixture.sql(
            """
            create function public.refuse() returns trigger language plpgsql as $$ begin
                if \(only) = 0 or old.user_id = \(F.quoted(only)) then raise exception 'planted'; end if; return old; end $$;
            create trigger refuse before delete on public.push_tokens for each row execute function public.refuse()
            """
        )
        var all = Settlement(member: member, sweepID: UUID())
        for user in users {
            let one = try Self.settlement(fixture, user, member: member, after: 999_999)
            all.changes += one.changes
        }
        let result = try await fixture.store.settle(all)
        #expect(result.settled.count == 12 && result.refused.isEmpty)
        #expect(result.tokensDeleted == (only == 0 ? 0 : 11))
        #expect(try fixture.sql("select count(*) from nudged.delivery where outcome = 'rejected'") == "12")
    }

    @Test func settle_whenTheAppHoldsTheToken_doesNotWait() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        let app = try await fixture.connection()
        let held = Statement("hold", sql: "select 1 from public.push_tokens for update")
        try await app.transaction(timeout: .seconds(30)) { transaction in
            _ = try await transaction.run(held)
            let settled = try await fixture.store.settle(Self.settlement(fixture, users[0], member: member))
            // It is being registered again, or will answer 410 again.
            #expect(settled.tokensDeleted == 0)
        }
        await app.close()
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
    }

    /// The daemon's login deletes a token only by the record's 410 for this user and device, and up to now.
    @Test(arguments: [
        ("", "now()", "1"), ("", "'2999-01-01'", "1"), ("", "'infinity'", "0"), ("", "'-infinity'", "0"),
        ("", "null", "0"), ("", "'2025-12-31'", "0"), ("delete from nudged.delivery", "now()", "0"),
        ("update nudged.delivery set status = 400", "now()", "0"),
        ("update nudged.delivery set outcome = 'accepted'", "now()", "0"),
        ("update nudged.delivery set device_hash = '00000000000000aa'", "now()", "0"),
        ("update nudged.delivery set apns_id = gen_random_uuid()", "now()", "0"),
        ("update nudged.delivery set user_id = \(F.quoted(2))", "now()", "0"),
        ("update nudged.delivery set attempted_at = now() - interval '1 hour'", "now()", "0"),
    ]) func token_whenTheDaemonsLoginAsks_goesByTheRecordOnly(change: String, instant: String, deleted: String)
        async throws
    {
        let fixture = try await F.withUsers(1...2)
        let token = try fixture.sql("select device_token from public.push_tokens where user_id = \(F.quoted(1))")
        let call = try fixture.recorded410(1, token, at: instant)
        try fixture.sql(change)
        #expect(try fixture.sql("set role nudged_daemon; select \(call)") == deleted)
        try fixture.prepareAttempts()
        let direct =
            "select nudged.forget_device(\(F.quoted(2)), lpad('2', 64, '0'), 'sandbox', 'com.example.app', 'infinity')"
        #expect(try fixture.perform("nudged_daemon", direct) == "42501")
        #expect(try fixture.sql("select count(*) from public.push_tokens") == (deleted == "1" ? "1" : "2"))
    }

    private static let plain =
        "alter table public.push_tokens alter created_at type timestamp, alter updated_at type timestamp;"
    private static let mapped = """
        create table public.devices (owner uuid, apns text, seen timestamptz); create schema nudged;
        create view nudged.device as
        select owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic from public.devices;
        """

    /// What can't be the time of a registration counts as long ago: the token goes after a 410.
    @Test(arguments: ["infinity", "294276-12-31 23:59:59", "4713-01-01 BC", "-infinity", "2999-01-01"], 0...2)
    func token_whenItsRegistrationIsNoInstant_isDeleted(instant: String, table: Int) async throws {
        let fixture = try await table == 2 ? F(migrated: false) : F()
        if table == 2 {
            try fixture.sql(Self.mapped)
            try await fixture.migrate()
            try fixture.sql("insert into public.devices values (\(F.quoted(1)), 'ab', '\(instant)')")
        } else {
            try fixture.sql(
                """
                \(table == 1 ? "drop view nudged.quarantined; drop view nudged.device;" + Self.plain : "")
                alter database "\(fixture.name)" set timezone = 'America/New_York';
                insert into public.push_tokens (user_id, device_token, created_at, updated_at) values (\(F.quoted(1)), 'ab', '\(instant)', '\(instant)')
                """
            )
        }
        let call = "select nudged.forget_device(\(F.quoted(1)), 'ab', 'sandbox', 'com.example.app', now())"
        #expect(try fixture.sql(call) == "t")
    }
}
