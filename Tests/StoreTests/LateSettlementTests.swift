import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// A lease can end while its outcome is on the way (a database that was slow or away): nobody may be claimed over an open intent.
@Suite(.ownThreads) struct LateSettlementTests {
    typealias F = StoreFixture

    private func ended() async throws -> (F, UUID, [ClaimedUser]) {
        let fixture = try await F()
        try fixture.seed(1...2)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        _ = try await fixture.store.commit(F.intent([users[0]], lease: lease), leaseMilliseconds: 60_000)
        try fixture.sql("update nudged.person set lease_until = now() - interval '1 second'")
        return (fixture, lease, users)
    }

    @Test func claim_whenTheEndedLeaseIsOurOwn_passesOverIt() async throws {
        let (fixture, lease, users) = try await ended()
        let claimed = try await fixture.store.claim(
            now: F.now,
            limit: 9,
            leaseID: UUID(),
            leaseMilliseconds: 1000,
            except: [lease]
        )
        #expect(claimed.isEmpty)
        // So the outcome finds its user.
        let settled = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .openIntent(chunk: 1),
                updates: [F.update(users[0])],
                records: [F.record(users[0], .rejected)]
            )
        )
        #expect(settled.counted && settled.usersSettled == 1)
        await fixture.close()
    }

    @Test func claim_whenADeadDaemonsIntentIsOpen_waitsUntilItIsRecorded() async throws {
        let (fixture, _, users) = try await ended()
        // The other user of that lease, who stands in no intent, is served at once.
        #expect(try await fixture.claim().map(\.userID) == [users[1].userID])
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        #expect(try await fixture.store.recover(except: [], limit: 9).pushes == 1)
        #expect(try await fixture.claim().map(\.userID) == [users[0].userID])
        await fixture.close()
    }
}
