import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// Outcomes and decisions, as they are settled.
@Suite(.ownThreads) struct SettlementTests {
    typealias F = StoreFixture

    @Test func settle_whenTheIntentIsOpen_recordsAndFrees() async throws {
        let (fixture, lease, users) = try await F.leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .openIntent(chunk: 1),
                updates: users.map { F.update($0) },
                records: users.map { F.record($0) }
            )
        )
        #expect(result.counted && result.usersSettled == 3)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        #expect(
            try fixture.sql("select count(*) from nudged.delivery where outcome = 'accepted' and status = 200") == "3"
        )
        #expect(
            try fixture.sql(
                "select count(*) from nudged.person where lease_id is null and lease_until is null and due_at = '2026-11-20 13:00Z' and asked_at = '2026-11-20 12:00Z'"
            ) == "3"
        )
        await fixture.close()
    }

    @Test func settle_whenTheIntentIsGone_changesNothing() async throws {
        let (fixture, lease, users) = try await F.leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 1)
        try fixture.sql("select pg_sleep(0.01)")
        let recovered = try await fixture.store.recover(except: [], limit: 10)
        #expect(recovered.chunks == 1 && recovered.pushes == 3)
        let before = try fixture.sql(
            "select * from nudged.person order by user_id; select * from nudged.delivery order by user_id"
        )
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .openIntent(chunk: 1),
                updates: users.map { F.update($0) },
                records: users.map { F.record($0, .rejected, hash: "bb") }
            )
        )
        #expect(!result.counted && result.usersSettled == 0)
        #expect(
            before
                == (try fixture.sql(
                    "select * from nudged.person order by user_id; select * from nudged.delivery order by user_id"
                ))
        )
        #expect(
            try fixture.sql("select count(*) from nudged.delivery where outcome = 'unknown' and reason = 'daemon_lost'")
                == "3"
        )
        await fixture.close()
    }

    @Test func settle_whenTheVersionHasChanged_keepsTheUserDue() async throws {
        let (fixture, lease, users) = try await F.leased(1...2)
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        _ = try await fixture.store.drain(limit: 10, now: F.now)
        _ = try await fixture.store.settle(
            Settlement(leaseID: lease, sweepID: UUID(), fence: .none, updates: users.map { F.update($0) })
        )
        #expect(
            try fixture.lines(
                "select due_at > '2026-11-20 12:00Z', touched_at is null, lease_id is null from nudged.person order by user_id"
            ) == ["f|f|t", "t|t|t"]
        )
        await fixture.close()
    }

    @Test func settle_whenTheLeaseIsForeign_leavesTheUser() async throws {
        let (fixture, lease, users) = try await F.leased(1...1)
        try fixture.sql("update nudged.person set lease_id = gen_random_uuid()")
        let result = try await fixture.store.settle(
            Settlement(leaseID: lease, sweepID: UUID(), fence: .none, updates: users.map { F.update($0) })
        )
        #expect(result.usersSettled == 0)
        await fixture.close()
    }

    /// The answer was lost, so it is settled again: the rows went with the lease.
    @Test func settle_whenItIsRepeated_recordsOnce() async throws {
        let (fixture, lease, users) = try await F.leased()
        for count in [3, 0] {
            let result = try await fixture.store.settle(
                Settlement(
                    leaseID: lease,
                    sweepID: UUID(),
                    fence: .none,
                    updates: users.map { F.update($0) },
                    records: users.map { F.record($0, .skipped, hash: "") }
                )
            )
            #expect(result.usersSettled == count)
        }
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "3")
        await fixture.close()
    }

    /// Two attempts of one second, by a clock that was set back: the second is moved by a microsecond, and both are there.
    @Test func settle_whenARowIsThereAlready_breaksTheTie() async throws {
        let (fixture, lease, users) = try await F.leased(1...1)
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select user_id, 'check_in', '2026-11-20', '', 'skipped', '2026-11-20 12:00Z', gen_random_uuid() from nudged.person
            """
        )
        var settlement = Settlement(
            leaseID: lease,
            sweepID: UUID(),
            fence: .none,
            updates: users.map { F.update($0) },
            records: users.map { F.record($0, .skipped, hash: "") }
        )
        let error = await #expect(throws: PostgresError.self) { try await fixture.store.settle(settlement) }
        #expect(error?.sqlState == "23505")
        settlement.tieBreak = 1
        #expect(try await fixture.store.settle(settlement).usersSettled == 1)
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "2")
        await fixture.close()
    }

    /// Histories travel as pieces of common lists: each user gets their own.
    @Test func settle_whenHistoriesDiffer_givesEachTheirOwn() async throws {
        let (fixture, lease, users) = try await F.leased()
        let days = (1...3).map { F.slot - $0 }
        let histories = [
            History(checkIns: days.map { CheckIn(at: F.now, slot: $0) }, closed: [days[0]], sent: []),
            History(),
            History(checkIns: [CheckIn(at: F.now, slot: days[2])], closed: Array(days[0...1]), sent: [F.now, F.now]),
        ]
        let updates = zip(users, histories).map { F.update($0, history: $1) }
        _ = try await fixture.store.settle(
            Settlement(leaseID: lease, sweepID: UUID(), fence: .none, updates: updates.reversed())
        )
        let again = try await fixture.claim(lease: UUID())
        #expect(again.isEmpty)
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        let read = try await fixture.claim().sorted { $0.userID < $1.userID }.map(\.history)
        #expect(read == histories)
        await fixture.close()
    }

    @Test func error_whenAStatementFails_holdsNoParameter() async throws {
        let (fixture, lease, users) = try await F.leased(1...1)
        let error = await #expect(throws: PostgresError.self) {
            try await fixture.store.settle(
                Settlement(
                    leaseID: lease,
                    sweepID: UUID(),
                    fence: .none,
                    updates: users.map { F.update($0, retry: "planted-secret") }
                )
            )
        }
        let text = "\(String(describing: error)) \(error.map(String.init(reflecting:)) ?? "")"
        #expect(!text.contains("planted-secret"))
        #expect(text.contains("settle"))
        await fixture.close()
    }
}
