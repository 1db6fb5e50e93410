import Testing

@testable import Core

/// Tokens of Live Activities, widgets and controls, once Apple answers 410. `CallTranscriptTests` has how they come.
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
}
