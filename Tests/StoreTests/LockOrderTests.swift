import TestSupport
import Testing

@testable import Core

/// Everyone who waits locks in one order.
@Suite(.ownThreads) struct LockOrderTests {
    /// Users come in the order in which they are due; every writer locks them by their id.
    @Test func writers_whenRowsAreLockedFromBothEnds_neverDeadlock() async throws {
        let fixture = try await F.withUsers(1...200)
        try fixture.sql(
            """
            update nudged.person set due_at = '2026-01-02'::timestamptz - row_number * interval '1 second'
            from (select user_id as u, row_number() over (order by user_id) from nudged.person) n where n.u = user_id
            """
        )
        let member = try await fixture.member()
        let users = try await fixture.claim(500)
        #expect(users.first?.userID == F.user(200))
        let other = Store(configuration: fixture.configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<30 {
                    try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
                    _ = try await other.drain(member: member, ranges: F.ranges, limit: 1000, now: F.now)
                    _ = try await other.wakeUsers(from: Store.firstUser, now: F.now, evaluated: nil, limit: 1000)
                }
            }
            group.addTask {
                for _ in 0..<30 {
                    let intent = F.intent(users, member: member)
                    _ = try await fixture.store.commit(intent)
                    _ = try await fixture.store.renew(member, leaseMilliseconds: 60_000)
                    _ = try await fixture.store.settle(
                        Settlement(member, users.map { F.change($0) }, withdrawn: [intent.id])
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.sql("select deadlocks from pg_stat_database where datname = current_database()") == "0")
    }
}
