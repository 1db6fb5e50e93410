import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

@Suite(.ownThreads) struct ClaimTests {
    typealias F = StoreFixture

    @Test func claim_whenMoreAreDueThanTheLimit_goesOnUntilAllHaveCome() async throws {
        let fixture = try await F()
        try fixture.seed(1...400)
        try fixture.sql("update nudged.person set due_at = '2030-01-01' where user_id = \(F.quoted(5))")
        var users: [UUID] = []
        while true {
            let batch = try await fixture.claim(30, startingOver: users.isEmpty)
            users += batch.map(\.userID)
            guard batch.count == 30 else { break }
        }
        #expect(users.count == 399 && Set(users) == Set((1...400).filter { $0 != 5 }.map(F.user)))
        #expect(try await fixture.claim().isEmpty)
        await fixture.close()
    }

    /// Within a range of the hash the earliest come first, so that nobody waits while others are served again and again.
    @Test func claim_whenMoreAreDueThanTheLimit_takesTheEarliestOfARange() async throws {
        let fixture = try await F()
        try fixture.seed(1...2000)
        // Everyone who is left of a claimed one's range became due no earlier.
        for _ in 1...3 { _ = try await fixture.claim(200, startingOver: false) }
        let wrong = try fixture.sql(
            """
            select count(*) from nudged.person l join nudged.person p
                on p.lease_id is null and l.lease_id is not null and uuid_hash(p.user_id) >> 26 = uuid_hash(l.user_id) >> 26 and p.due_at < l.due_at
            """
        )
        #expect(wrong == "0")
        #expect(try fixture.sql("select count(*) from nudged.person where lease_id is not null") == "600")
        await fixture.close()
    }

    /// Asked again at the moment of the lease: somebody was quicker, or the user is no longer due.
    @Test func claim_whenCandidatesChangeBeforeTheyAreTaken_leavesThem() async throws {
        let fixture = try await F()
        try fixture.seed(1...4)
        let connection = try await fixture.connection()
        let holder = try await fixture.connection()
        // The claim waits for the holder's rows, and finds them changed.
        let claimed = try await holder.transaction { transaction in
            try await transaction.execute(
                script: """
                    update nudged.person set lease_id = gen_random_uuid(), lease_until = now() + interval '1 minute' where user_id = \(F.quoted(1));
                    update nudged.person set due_at = '2030-01-01' where user_id = \(F.quoted(2));
                    """
            )
            let claim = Task { try await fixture.claim() }
            let waits = Statement(
                "waits",
                sql:
                    "select exists (select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database())"
            )
            // Where the claim has lost its patience before it was seen waiting, the rows are left as well.
            _ = try await eventually(within: .seconds(5)) { try await connection.run(waits).bool(0, 0) }
            return claim
        }
        #expect(Set(try await claimed.value.map(\.userID)) == [F.user(3), F.user(4)])
        await connection.close()
        await holder.close()
        await fixture.close()
    }

    @Test func claim_whenLeased_takesNobodyUntilTheLeaseEnds() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        #expect(try await fixture.claim().count == 1)
        #expect(try await fixture.claim().isEmpty)
        try fixture.sql("update nudged.person set lease_until = now() - interval '1 second'")
        #expect(try await fixture.claim().count == 1)
        await fixture.close()
    }

    @Test func claim_whenTwoClaimAtOnce_sharesNobody() async throws {
        let fixture = try await F()
        try fixture.seed(1...2000)
        let other = Store(configuration: fixture.configuration)
        func all(_ store: Store) async throws -> [UUID] {
            var users: [UUID] = []
            while true {
                let batch = try await store.claim(
                    now: F.now,
                    limit: 50,
                    leaseID: UUID(),
                    leaseMilliseconds: 60_000
                )
                if batch.isEmpty { return users }
                users += batch.map(\.userID)
            }
        }
        async let left = all(fixture.store)
        async let right = all(other)
        let (a, b) = try await (left, right)
        #expect(a.count + b.count == 2000 && Set(a).union(b).count == 2000)
        await other.close()
        await fixture.close()
    }

    @Test func claim_whenOneUserIsLocked_skipsThem() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        let holder = try await fixture.connection()
        let seen = try await holder.transaction { transaction in
            try await transaction.execute(
                script: "select 1 from nudged.person where user_id = \(F.quoted(2)) for update"
            )
            return try await fixture.claim().map(\.userID)
        }
        #expect(seen == [F.user(1), F.user(3)])
        await holder.close()
        await fixture.close()
    }

    @Test func claim_whenHistoryHoldsWhatOnlyAHandWrites_leavesItOut() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        try fixture.sql(
            """
            update nudged.person set check_in_at = '{2026-11-19 10:00Z,2026-11-18 10:00Z,infinity}',
                check_in_slot = '{2026-11-19,infinity}', closed = '{infinity,2026-11-17}', sent = '{infinity,2026-11-19 10:00Z}'
            """
        )
        let user = try #require(try await fixture.claim().first)
        #expect(user.history.checkIns.map(\.slot.iso) == ["2026-11-19"])
        #expect(user.history.closed.map(\.iso) == ["2026-11-17"])
        // And what is written back is valid for the server.
        let lease = UUID()
        let settled = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .none,
                updates: [F.update(user, history: user.history)]
            )
        )
        #expect(settled.usersSettled == 0)
        await fixture.close()
    }

    @Test func release_whenOurs_freesAndOnlyThen() async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease).map(\.userID)
        try await fixture.store.release(users, leaseID: UUID())
        #expect(try await fixture.claim().isEmpty)
        try await fixture.store.release([F.user(1)], leaseID: lease)
        #expect(try await fixture.claim().map(\.userID) == [F.user(1)])
        await fixture.close()
    }

    @Test func renew_whenTheLeaseHasEndedOrIsForeign_isRefused() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        let lease = UUID()
        _ = try await fixture.claim(lease: lease)
        try fixture.sql(
            "update nudged.person set lease_until = now() - interval '1 second' where user_id = \(F.quoted(1)); update nudged.person set lease_id = gen_random_uuid() where user_id = \(F.quoted(2))"
        )
        let kept = try await fixture.store.renew((1...3).map(F.user), leaseID: lease, leaseMilliseconds: 600_000)
        #expect(kept == [F.user(3)])
        #expect(
            try fixture.sql(
                "select lease_until > now() + interval '9 minutes' from nudged.person where user_id = \(F.quoted(3))"
            ) == "t"
        )
        await fixture.close()
    }

    @Test func remaining_whenSomeoneIsLeasedOrFree_saysSo() async throws {
        let fixture = try await F()
        #expect(
            try await fixture.store.remaining(now: F.now)
                == .init(isAnyoneDue: false, isAnyoneFree: false, millisecondsToFirstLeaseEnd: 0)
        )
        try fixture.seed(1...1)
        #expect(try await fixture.store.remaining(now: F.now).isAnyoneFree)
        _ = try await fixture.claim()
        let leased = try await fixture.store.remaining(now: F.now)
        #expect(leased.isAnyoneDue && !leased.isAnyoneFree && leased.millisecondsToFirstLeaseEnd > 30_000)
        await fixture.close()
    }
}
