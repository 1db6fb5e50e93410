import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Tokens that a 410 proved stale.
@Suite(.ownThreads) struct StaleTokenTests {
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
