import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Store

/// Rows that somebody holds: a transaction of the app's, a backend that hangs.
@Suite(.ownThreads) struct HeldRowTests {
    typealias F = StoreFixture

    private func holding(_ sql: String, _ fixture: F, _ body: @Sendable @escaping () async throws -> Void) async throws
    {
        let holder = try await fixture.connection()
        try await holder.transaction(timeout: .seconds(60)) { transaction in
            try await transaction.execute(script: sql)
            try await body()
        }
        await holder.close()
    }

    @Test func claim_whenManyRowsAreHeld_takesTheOthersAtOnce() async throws {
        let fixture = try await F()
        try fixture.seed(1...600)
        let sql = "select from nudged.person where user_id <= \(F.quoted(400)) for update"
        try await holding(sql, fixture) { () async throws -> Void in
            let began = ContinuousClock.now
            let claimed = try await fixture.claim(1000)
            #expect(Set(claimed.map(\.userID)) == Set((401...600).map(F.user)))
            // By halves it took minutes.
            #expect(ContinuousClock.now - began < .seconds(20))
        }
        await fixture.close()
    }

    /// One user is being erased, and another has changed: the change is taken.
    @Test func drain_whenOneRowIsHeld_takesTheOthers() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        let sql = "select from nudged.person where user_id = \(F.quoted(2)) for update"
        try await holding(sql, fixture) { () async throws -> Void in
            #expect(try await fixture.store.drain(limit: 10, now: F.now) == 2)
            #expect(try fixture.lines("select user_id from nudged.touched") == [F.user(2).uuidString.lowercased()])
        }
        #expect(try await fixture.store.drain(limit: 10, now: F.now) == 1)
        #expect(try fixture.lines("select distinct version from nudged.person") == ["4294967296"])
        await fixture.close()
    }

    /// One user is being erased: the other chunks of those who died are recorded.
    @Test func recover_whenOneRowIsHeld_takesTheOtherChunks() async throws {
        let (fixture, lease, users) = try await F.leased(1...40)
        for (place, user) in users.enumerated() {
            let intent = F.intent([user], lease: lease, number: Int32(place))
            _ = try await fixture.store.commit(intent, leaseMilliseconds: 60_000)
        }
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        let sql = "select from nudged.person where user_id = \(F.quoted(2)) for update"
        try await holding(sql, fixture) { () async throws -> Void in
            // A look lasts a second at most; the machine may be slow.
            var found = 0
            while found < 39 { found += try await fixture.store.recover(except: [], limit: 100).chunks }
            #expect(
                try fixture.lines("select user_ids from nudged.intent") == ["{\(F.user(2).uuidString.lowercased())}"]
            )
            let error = await #expect(throws: PostgresError.self) {
                try await fixture.store.recover(except: [], limit: 100)
            }
            #expect(error?.sqlState == "55P03")
        }
        #expect(try await fixture.store.recover(except: [], limit: 100) == (1, 1))
        #expect(try fixture.sql("select count(*) from nudged.delivery where outcome = 'unknown'") == "40")
        await fixture.close()
    }

    @Test func drain_whenATouchIsHeld_takesTheOthers() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        let sql = "delete from nudged.touched where user_id = \(F.quoted(1))"
        try await holding(sql, fixture) { () async throws -> Void in
            #expect(try await fixture.store.drain(limit: 10, now: F.now) == 2)
        }
        await fixture.close()
    }

    /// A lease that ends while the claim still goes on: nobody comes twice.
    @Test func claim_whenItOutlastsItsLease_bringsNobodyTwice() async throws {
        let fixture = try await F()
        try fixture.seed(1...300)
        let claimed = try await fixture.claim(1000, milliseconds: 0)
        #expect(Set(claimed.map(\.userID)).count == claimed.count)
        await fixture.close()
    }

    /// The whole table is locked: an error, and nobody stays leased.
    @Test func claim_whenTheDevicesAreLocked_leasesNobody() async throws {
        let fixture = try await F()
        try fixture.seed(1...30)
        let sql = "lock table public.push_tokens in access exclusive mode"
        try await holding(sql, fixture) { () async throws -> Void in
            let error = await #expect(throws: PostgresError.self) { try await fixture.claim(100) }
            #expect(error?.sqlState == "55P03")
            #expect(try fixture.sql("select count(*) from nudged.person where lease_id is not null") == "0")
        }
        #expect(try await fixture.claim(100).count == 30)
        await fixture.close()
    }
}
