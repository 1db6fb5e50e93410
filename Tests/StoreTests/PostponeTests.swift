import NudgedPreferences
import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

@testable import Core

/// Users who are given back, and huge values.
@Suite(.ownThreads) struct PostponeTests {
    @Test func postpone_whenAUserWasChangedMeanwhile_leavesThemDue() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        try fixture.sql("update nudged.person set version = version + 1 where user_id = \(F.quoted(2))")
        try await fixture.store.postpone(
            users.map { Postponement(userID: $0.userID, version: $0.version, until: F.now + 600) },
            member: member
        )
        try fixture.expect(
            "select right(user_id::text, 1), due_at > '2026-11-20' from nudged.person order by 1",
            ["1|t", "2|f", "3|t"]
        )
    }

    /// A megabyte where a few hundred bytes belong harms its own row only: a batch of such users is still read in no time, and in little memory.
    @Test func claim_whenValuesAreHuge_bringsTheirHeads() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            alter table public.context_profiles drop constraint notification_preferences_size, drop constraint timezone_length;
            alter table public.push_tokens drop constraint device_token_length, drop constraint topic_length;
            update public.context_profiles set notification_preferences = jsonb_build_object('x', repeat('y', 1000000)), timezone = repeat('z', 100000)
            where user_id = \(F.quoted(1));
            update public.push_tokens set device_token = repeat('a', 2000), topic = repeat('t', 9999) where user_id = \(F.quoted(1))
            """
        )
        let users = try await fixture.claim()
        let huge = try #require(users.first { $0.userID == F.user(1) })
        #expect(huge.preferences == "\"longer than 65,536 characters\"" && huge.timezone == "too long")
        #expect(huge.devices.map(\.token) == ["too long"] && huge.devices.first?.topic == "too long")
        #expect(Preferences(parsing: huge.preferences).malformed == "found a string, wanted an object")
        #expect(users.contains { $0.userID == F.user(2) && $0.preferences?.contains("daily") == true })
    }
}
