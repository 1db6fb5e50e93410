import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Store

/// Everyone who waits locks in one order.
@Suite(.ownThreads) struct LockOrderTests {
    typealias F = StoreFixture

    /// Users come in the order in which they are due; every writer locks them by their id.
    @Test func writers_whenRowsAreLockedFromBothEnds_neverDeadlock() async throws {
        let fixture = try await F()
        try fixture.seed(1...200)
        try fixture.sql(
            "update nudged.person set due_at = '2026-01-02'::timestamptz - row_number * interval '1 second' from (select user_id as u, row_number() over (order by user_id) from nudged.person) n where n.u = user_id"
        )
        // Leases and versions stay, so that every round locks every row.
        try fixture.sql(
            """
            create function public.keep() returns trigger language plpgsql as $$ begin
                new.version := 1; if old.lease_id is not null then new.lease_id := old.lease_id; end if; return new;
            end $$;
            create trigger keep before update on nudged.person for each row execute function public.keep()
            """
        )
        let lease = UUID()
        let users = try await fixture.claim(500, lease: lease)
        #expect(users.first?.userID == F.user(200))
        let other = Store(configuration: fixture.configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<60 {
                    try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
                    _ = try await other.drain(limit: 1000, now: F.now)
                }
            }
            group.addTask {
                for number in 0..<60 as Range<Int32> {
                    _ = try await fixture.store.commit(
                        F.intent(users, lease: lease, number: number),
                        leaseMilliseconds: 60_000
                    )
                    _ = try await fixture.store.renew(users.map(\.userID), leaseID: lease, leaseMilliseconds: 60_000)
                    _ = try await fixture.store.settle(
                        Settlement(
                            leaseID: lease,
                            sweepID: UUID(),
                            fence: .withdrawn(chunk: number),
                            updates: users.map { F.update($0) }
                        )
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.sql("select deadlocks from pg_stat_database where datname = current_database()") == "0")
        await other.close()
        await fixture.close()
    }

    /// Two drains meet the same touches in one order, which the statement says: what a sort leaves of an order is chance.
    @Test(arguments: [Query.drain, .drainFree]) func drain_whenTouchesWait_takesThemInOneOrder(query: Query)
        async throws
    {
        let fixture = try await F()
        let connection = try await fixture.connection()
        let rows = try await connection.transaction(
            [
                Statement(
                    "explain",
                    sql: "explain " + query.sql,
                    parameters: [.int8(100), .timestamp(F.now.microseconds)]
                )
            ],
            settings: Store.pinnedPlans,
            timeout: .seconds(30)
        )
        var plan: [String] = []
        for row in 0..<rows[0].count { plan.append(try rows[0].text(row, 0)) }
        let keys = plan.filter { $0.contains("Sort Key: (true) DESC") }
        #expect(keys.count == 1, "\(plan.joined(separator: "\n"))")
        #expect(
            keys.allSatisfy { $0.hasSuffix("DESC, hurried.user_id, hurried.id") },
            "\(plan.joined(separator: "\n"))"
        )
        await connection.close()
        await fixture.close()
    }
}
