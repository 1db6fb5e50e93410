import Policy
import Postgres
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// Bad data harms its own row (design.md, promise 7).
@Suite struct UnreadableRowTests {
    typealias F = StoreFixture

    @Test(arguments: ["-infinity", "infinity", "294270-01-01", "4713-01-01 BC"])
    func claim_whenADeviceHasAnImpossibleInstant_readsItAsNone(instant: String) async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        try fixture.sql(
            "update public.push_tokens set created_at = '\(instant)', updated_at = '\(instant)' where user_id = \(F.quoted(1))"
        )
        let users = try await fixture.claim()
        #expect(users.map(\.userID) == [F.user(1), F.user(2)])
        #expect(users[0].devices.map(\.registeredAt) == [nil])
        #expect(users[1].devices.map(\.registeredAt) != [nil])
        await fixture.close()
    }

    @Test(arguments: ["since", "asked_at", "touched_at"])
    func claim_whenARowHoldsAnInfinity_readsItAsNone(column: String) async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        for infinity in ["-infinity", "infinity"] {
            try fixture.sql("update nudged.person set \(column) = '\(infinity)', lease_id = null, lease_until = null")
            #expect(try await fixture.claim().count == 1)
        }
        await fixture.close()
    }

    @Test func claim_whenARowCanNotBeRead_servesTheOthersAndSetsItAside() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        try fixture.sql("update nudged.person set sent = '{294270-01-01}' where user_id = \(F.quoted(2))")
        var unreadable: [UUID] = []
        let lease = UUID()
        let users = try await fixture.store.claim(
            now: F.now,
            limit: 9,
            leaseID: lease,
            leaseMilliseconds: 60_000
        ) { unreadable.append($0) }
        #expect(users.map(\.userID) == [F.user(1), F.user(3)])
        #expect(unreadable == [F.user(2)])
        try await fixture.store.postpone(
            unreadable.map { Postponement(userID: $0, version: nil, until: F.now + 86_400) },
            leaseID: lease
        )
        try await fixture.store.release(users.map(\.userID), leaseID: lease)
        #expect(try await fixture.claim().map(\.userID) == [F.user(1), F.user(3)])
        await fixture.close()
    }

    @Test func settle_whenTheAppHoldsTheToken_doesNotWait() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        let app = try await fixture.connection()
        let held = Statement("hold", sql: "select 1 from public.push_tokens for update")
        try await app.transaction(timeout: .seconds(30)) { transaction in
            _ = try await transaction.run(held)
            let settled = try await fixture.store.settle(
                Settlement(
                    leaseID: lease,
                    sweepID: UUID(),
                    fence: .openIntent(chunk: 1),
                    updates: [F.update(users[0])],
                    records: [F.record(users[0], .rejected)],
                    staleTokens: [
                        Settlement.StaleToken(
                            userID: users[0].userID,
                            token: users[0].devices[0].token,
                            environment: "sandbox",
                            topic: "com.example.app",
                            unregisteredAt: F.now.seconds * 1000
                        )
                    ]
                )
            )
            // It is being registered anew, or will answer 410 again.
            #expect(settled.counted && settled.tokensDeleted == 0)
        }
        await app.close()
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "1")
        await fixture.close()
    }

    @Test func standing_whenRowSecurityHidesEverybody_saysSo() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let role = "other_\(fixture.name)"
        try fixture.sql(
            """
            create role \(role) login; grant usage on schema nudged to \(role);
            grant all on all tables in schema nudged to \(role);
            """
        )
        let other = Migrator(
            configuration: try .parse(url: fixture.cluster.url(database: fixture.name, user: role))
        )
        #expect(try await other.standing() == .hidden)
        await other.close()
        let owner = Migrator(configuration: fixture.configuration)
        #expect(try await owner.standing() == .current)
        await owner.close()
        try fixture.sql("drop owned by \(role); drop role \(role)")
        await fixture.close()
    }
}
