import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// How often the decision service was asked of a user.
@Suite(.ownThreads) struct AnalysesTests {
    typealias F = StoreFixture

    @Test func analyses_whenTheLeaseIsOurs_areKept() async throws {
        let (fixture, lease, users) = try await F.leased()
        let user = users[0].userID
        #expect(try await fixture.store.analysed(user, leaseID: lease) == [])
        #expect(try await fixture.store.noteAnalysed(user, leaseID: lease, [F.now, F.now + 7]))
        #expect(try await fixture.store.analysed(user, leaseID: lease) == [F.now, F.now + 7])
        #expect(try await fixture.store.analysed(users[1].userID, leaseID: lease) == [])
        await fixture.close()
    }

    @Test func analyses_whenTheLeaseIsNotOurs_areRefused() async throws {
        let (fixture, lease, users) = try await F.leased()
        let user = users[0].userID
        #expect(try await fixture.store.analysed(user, leaseID: UUID()) == nil)
        #expect(try await !fixture.store.noteAnalysed(user, leaseID: UUID(), [F.now]))
        try fixture.sql("update nudged.person set lease_until = now() - interval '1 second'")
        #expect(try await fixture.store.analysed(user, leaseID: lease) == nil)
        #expect(try await !fixture.store.noteAnalysed(user, leaseID: lease, [F.now]))
        #expect(try fixture.sql("select count(*) from nudged.person where analysed is not null") == "0")
        await fixture.close()
    }

    @Test func settlement_whenSomeWereDecided_keepsWhatWasSaidOfThem() async throws {
        let (fixture, lease, users) = try await F.leased()
        func record(_ user: ClaimedUser, _ decision: String?) -> DeliveryRecord {
            DeliveryRecord(
                userID: user.userID,
                kind: "check_in",
                key: "2026-11-20",
                slot: F.slot,
                deviceHash: "",
                outcome: .skipped,
                reason: "declined",
                attemptedAt: F.now,
                decision: decision
            )
        }
        let decision = #"{"by": "service", "notify": false}"#
        let settlement = Settlement(
            leaseID: lease,
            sweepID: UUID(),
            fence: .none,
            updates: users.map { F.update($0) },
            records: [record(users[0], nil), record(users[1], decision)]
        )
        _ = try await fixture.store.settle(settlement)
        #expect(
            try fixture.sql(
                "select coalesce(decision::text, 'none') from nudged.delivery order by decision nulls first"
            )
                == "none\n\(decision)"
        )
        let read = try await fixture.store.reading { reader in
            try await reader.deliveries(of: users[1].userID, from: F.now - 9, through: F.now + 9, limit: 9)
        }
        #expect(read.map(\.decision) == [decision])
        await fixture.close()
    }

    /// What a dead daemon had found to record beside its pushes, decisions included.
    @Test func recovery_whenAnIntentIsOpen_recordsWhatWasDecided() async throws {
        let (fixture, lease, users) = try await F.leased()
        let plain = F.intent([users[0]], lease: lease)
        let intent = Intent(
            leaseID: lease,
            number: 1,
            sweepID: plain.sweepID,
            attemptedAt: F.now,
            entries: plain.entries,
            records: [
                DeliveryRecord(
                    userID: users[0].userID,
                    kind: "message",
                    key: UUID().uuidString.lowercased(),
                    slot: nil,
                    deviceHash: "",
                    outcome: .dropped,
                    reason: "declined",
                    attemptedAt: F.now,
                    decision: #"{"by": "service"}"#
                )
            ]
        )
        #expect(try await fixture.store.commit(intent, leaseMilliseconds: 30_000).kept.count == 1)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        _ = try await fixture.store.recover(except: [], limit: 9)
        #expect(
            try fixture.sql("select kind, decision->>'by' from nudged.delivery order by kind")
                == "check_in|\nmessage|service"
        )
        await fixture.close()
    }
}
