import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// Tokens that a 410 proved stale.
@Suite struct StaleTokenTests {
    typealias F = StoreFixture

    @Test(arguments: [
        // Registered at 12:00:00.500; Apple's instant in milliseconds, environment, topic, and whether the token goes.
        (500, "sandbox", "com.example.app", false), (501, "sandbox", "com.example.app", true),
        (499, "sandbox", "com.example.app", false), (999_999, "production", "com.example.app", false),
        (999_999, "sandbox", "com.example.other", false),
    ])
    func forget_whenRegisteredBeforeTheInstant_andOnlyThen(after: Int64, environment: String, topic: String, goes: Bool)
        async throws
    {
        let fixture = try await F()
        try fixture.seed(1...1)
        try fixture.sql(
            "update public.push_tokens set updated_at = '2026-11-20 12:00:00.500Z', environment = 'sandbox', topic = 'com.example.app'"
        )
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: UUID(),
                sweepID: UUID(),
                fence: .none,
                staleTokens: [
                    .init(
                        userID: F.user(1),
                        token: String(repeating: "0", count: 63) + "1",
                        environment: environment,
                        topic: topic,
                        unregisteredAt: F.now.seconds * 1000 + after
                    )
                ]
            )
        )
        #expect(result.tokensDeleted == (goes ? 1 : 0))
        #expect(try fixture.sql("select count(*) from public.push_tokens") == (goes ? "0" : "1"))
        await fixture.close()
    }

    @Test func forget_whenTheRowNamesNoEnvironment_takesTheConfiguredOne() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        #expect(
            try fixture.sql("select nudged.forget_device(\(F.quoted(1)), lpad('1', 64, '0'), 'sandbox', 'x', now())")
                == "t"
        )
        await fixture.close()
    }
}
