import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// What one user can write delays nobody else's claim.
@Suite(.ownThreads) struct PoisonRowLongTests {
    /// The table of the issue: small where it is stored, over a gigabyte as text.
    @Test(arguments: [8_500, 2_400]) func claim_whenPreferencesHoldHugeNumbers_servesEverybody(count: Int) async throws
    {
        let fixture = try await F.withUsers(1...50)
        try fixture.sql(
            """
            update public.context_profiles set notification_preferences =
                jsonb_build_object('x', (select jsonb_agg('1e131071'::numeric) from generate_series(1, \(count))))
            where user_id = \(F.quoted(7))
            """
        )
        let found = try await fixture.store.claimed()
        #expect(found.users.count == 50 && found.refused.isEmpty)
        #expect(found.users.allSatisfy { ($0.preferences?.utf8.count ?? 0) < 65_538 })
    }

    /// A view or a function of the operator's that fails for one row: the user is named with the column, and the others are served.
    @Test(arguments: ["preferences", "timezone", "first_session_complete", "context"])
    func claim_whenAColumnIsRefused_namesItAndServesTheOthers(column: String) async throws {
        let fixture = try await F.withUsers(1...100)
        let columns = [
            ("preferences", "notification_preferences"), ("timezone", "timezone"),
            ("first_session_complete", "first_session_complete"), ("context", "null::jsonb"),
        ].map { name, source in
            name == column ? "case when public.poison(user_id) then \(source) end as \(name)" : "\(source) as \(name)"
        }
        try fixture.sql(
            """
            create function public.poison(u uuid) returns boolean language plpgsql stable as $$ begin
                if u = \(F.quoted(42)) then raise exception 'planted-secret'; end if; return true; end $$;
            create or replace view nudged.recipient as select user_id, \(columns.joined(separator: ", ")) from public.context_profiles
            """
        )
        let found = try await fixture.store.claimed()
        #expect(found.users.count == 99 && found.refused.map(\.userID) == [F.user(42)])
        #expect(found.refused.first?.column == "nudged.recipient.\(column)")
        #expect(found.refused.first?.error.hasPrefix("P0001") == true && !"\(found.refused)".contains("planted"))
        // Read alone from now on: one statement's flight for the others.
        let again = try await fixture.store.claimed()
        #expect(again.users.count == 99 && again.refused.map(\.userID) == [F.user(42)])
        // And no suspect any more, once it can be read.
        try fixture.sql(
            "create or replace function public.poison(u uuid) returns boolean language sql stable return true"
        )
        #expect(try await fixture.store.claimed().users.count == 100)
        #expect(fixture.store.claiming.with { $0.aside.suspects(at: Claiming.now()) }.isEmpty)
    }

    /// A row that takes for ever.
    @Test func claim_whenARowIsTooSlow_servesTheOthers() async throws {
        let fixture = try await F.withUsers(1...8)
        try fixture.sql(
            """
            create function public.slow(u uuid) returns text language plpgsql as $$ begin
                if u = \(F.quoted(3)) then perform pg_sleep(60); end if; return 'x'; end $$;
            create or replace view nudged.device as
            select user_id, public.slow(user_id) as token, created_at as registered_at, environment, topic from public.push_tokens
            """
        )
        let found = try await fixture.store.claimed()
        #expect(found.users.count == 7 && found.refused.map(\.userID) == [F.user(3)])
        #expect(found.refused.first?.column == "nudged.device.token")
        let began = ContinuousClock.now
        #expect(try await fixture.store.claimed().users.count == 7)
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    /// More than people have of anything: bounded, and soon.
    @Test func claim_whenOneUserHasVeryMany_isBounded() async throws {
        let fixture = try await F.withUsers(1...100)
        try fixture.sql(
            """
            set session_replication_role = replica;
            insert into public.push_tokens (user_id, device_token, created_at, updated_at)
            select \(F.quoted(1)), lpad(to_hex(1000000 + n), 64, '0'), '2026-01-01'::timestamptz + n * interval '1 second', '2026-01-01'
            from generate_series(1, 50000) n;
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
            select \(F.quoted(2)), gen_random_uuid(), \(F.quoted(2)), 'task', n::text, 'a', 'b', '2026-11-20'::timestamptz + n * interval '1 second', true
            from generate_series(1, 50000) n;
            """
        )
        let began = ContinuousClock.now
        let found = try await fixture.store.claimed()
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(found.users.count == 100)
        let many = try #require(found.users.first { $0.userID == F.user(1) })
        #expect(many.devices.count == 100)
        let reminded = try #require(found.users.first { $0.userID == F.user(2) })
        #expect(reminded.reminders.all.count == 200 && reminded.reminders.isPartial)
        #expect(reminded.reminders.all.first?.subjectID == "1" && reminded.reminders.wakesAt != nil)
    }

    /// Long texts of the app's are seen by their stored size.
    @Test func claim_whenTextsAreVeryLong_expandsNone() async throws {
        let fixture = try await F.withUsers(1...20)
        try fixture.sql(
            """
            alter table public.context_profiles drop constraint timezone_length;
            alter table public.push_tokens drop constraint topic_length, drop constraint environment_length;
            update public.push_tokens set topic = repeat('x', 20000000), environment = repeat('y', 20000000) where user_id <= \(F.quoted(10));
            update public.context_profiles set timezone = repeat('z', 20000000) where user_id <= \(F.quoted(10))
            """
        )
        let began = ContinuousClock.now
        let found = try await fixture.store.claimed()
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(found.users.count == 20)
        for user in found.users.prefix(10) {
            #expect(user.devices.first?.topic == "too long" && user.timezone == "too long")
        }
    }

    /// A flight takes so many bytes: the rest comes with the next claim.
    @Test func claim_whenProfilesAreManyBytes_isCutShort() async throws {
        let fixture = try await F.withUsers(1...400)
        try fixture.sql(
            """
            update public.context_profiles set notification_preferences =
                jsonb_build_object('priority_keywords', jsonb_build_array(repeat('k', 60000)))
            """
        )
        var seen: Set<UUID> = []
        var claims = 0
        while true {
            let found = try await fixture.store.claimed(startingOver: claims == 0, inHand: seen)
            claims += 1
            let bytes = found.users.reduce(0) { $0 + ($1.preferences?.utf8.count ?? 0) }
            #expect(bytes <= Int(UserParts.profileBytes))
            #expect(seen.isDisjoint(with: found.users.map(\.userID)))
            seen.formUnion(found.users.map(\.userID))
            if found.isComplete { break }
            try #require(claims < 20)
        }
        #expect(seen.count == 400 && claims >= 3)
    }
}
