import Testing

@testable import Core

/// Tokens of Live Activities, widgets and controls: `register_device` with a surface. `CallTranscriptTests` has what is refused.
@Suite(.ownThreads) struct SurfaceCallTests {
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.count) + digits
    }

    private func register(_ user: Int, _ number: Int, _ surface: String, in fixture: F) throws {
        try fixture.sql(
            "select nudged_api.register_device(\(F.quoted(user)), upper('\(Self.token(number))'), surface => '\(surface)')"
        )
    }

    private func rows(_ fixture: F) throws -> [String] {
        try fixture.lines(
            "select user_id = \(F.quoted(1)), surface, right(token, 2) from nudged.surface order by surface, token"
        )
    }

    /// The device's own row stays as it is.
    @Test func token_whenRegistered_belongsToOneUserAndMakesThemDue() async throws {
        let fixture = try await F()
        try fixture.sql("select nudged_api.register_device(\(F.quoted(1)), '\(Self.token(1))')")
        try await fixture.drain()
        try register(1, 2, "widgets", in: fixture)
        try register(1, 2, "widgets", in: fixture)
        try register(1, 2, "activity:order 17", in: fixture)
        #expect(try rows(fixture) == ["t|activity:order 17|a2", "t|widgets|a2"])
        // An arrival stops no push that is on its way.
        #expect(try fixture.sql("select distinct arrival from nudged.touched") == "t")
        try register(2, 2, "widgets", in: fixture)
        #expect(try rows(fixture) == ["f|widgets|a2"])
        let unregister = "select done from nudged_api.unregister_device(\(F.quoted(2)), '\(Self.token(2))')"
        #expect(try fixture.sql(unregister) == "1" && fixture.sql(unregister) == "0")
        #expect(try rows(fixture).isEmpty && fixture.sql("select count(*) from public.push_tokens") == "1")
    }

    @Test func tokens_whenOldOrMany_go() async throws {
        let fixture = try await F()
        try register(1, 1, "activity:a", in: fixture)
        try register(1, 2, "start:T", in: fixture)
        try fixture.sql("update nudged.surface set registered_at = now() - interval '25 hours'")
        try register(1, 3, "activity:b", in: fixture)
        #expect(try rows(fixture) == ["t|activity:b|a3", "t|start:T|a2"])
        for number in 4...103 { try register(1, number, "activity:\(number)", in: fixture) }
        let left = "select count(*), count(*) filter (where right(token, 2) in ('a2', 'a3')) from nudged.surface"
        #expect(try fixture.sql(left) == "100|0")
    }

    /// An answer about a later time than now says nothing about a token that comes meanwhile.
    @Test func token_afterA410_goesUnlessItRegisteredSince() async throws {
        let fixture = try await F()
        for user in [1, 2] { try register(user, user, "widgets", in: fixture) }
        try fixture.sql("select nudged_api.register_device(\(F.quoted(2)), '\(Self.token(2))')")
        let early = try fixture.recorded410(1, Self.token(1), at: "clock_timestamp() - interval '1 hour'")
        #expect(try fixture.sql("select \(early)") == "0")
        let future = try fixture.recorded410(1, Self.token(1), at: "'2100-01-01Z'")
        try fixture.sql(
            "update nudged.surface set registered_at = now() + interval '1 hour' where user_id = \(F.quoted(1))"
        )
        #expect(try fixture.sql("select \(future)") == "0")
        // The device's row of that token goes with it.
        let both = try fixture.recorded410(2, Self.token(2))
        #expect(try fixture.sql("select \(both)") == "1")
        #expect(try rows(fixture) == ["t|widgets|a1"] && fixture.sql("select count(*) from public.push_tokens") == "0")
    }

    /// Nobody waits for the app: the token is registering again, or Apple will answer 410 again.
    @Test func token_whenTheAppHoldsIt_isNotWaitedFor() async throws {
        let fixture = try await F()
        try register(1, 1, "widgets", in: fixture)
        let call = try fixture.recorded410(1, Self.token(1))
        try await fixture.holding("select from nudged.surface for update") {
            let held = try fixture.sql("set lock_timeout = '10s'; select \(call)")
            #expect(held == "0")
        }
        #expect(try fixture.sql("select \(call)") == "1")
    }

    /// A start keeps the user's quiet hours, so it needs a zone. The others disturb nobody.
    @Test func message_whenTheUserHasNoZone_warnsOfAStart() async throws {
        let fixture = try await F()
        for surface in ["start:T", "widgets"] { try register(1, 1, surface, in: fixture) }
        let start =
            #"{"live_activity": {"event": "start", "id": "o", "attributes_type": "T", "attributes": {}, "content_state": {}}}"#
        func codes(_ title: String, _ apns: String) throws -> String {
            try fixture.sql(
                "select split_part(w, ':', 1) from nudged_api.send(\(F.quoted(1)), \(title), null, apns => '\(apns)'), unnest(warnings) w"
            )
        }
        #expect(try codes("'a'", start) == "no_timezone" && codes("null", #"{"widgets": true}"#) == "")
        try fixture.sql("insert into public.context_profiles (user_id, timezone) values (\(F.quoted(1)), 'UTC')")
        #expect(try codes("'a'", start) == "")
    }
}
