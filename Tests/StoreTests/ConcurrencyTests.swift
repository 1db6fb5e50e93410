import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// What several daemons and the app do at the same time.
@Suite(.ownThreads) struct ConcurrencyTests {
    /// The intent's commit is under way on the server while its connection is lost here: the withdrawal waits for it, and takes it back.
    @Test func withdrawal_whenTheIntentIsStillBeingCommitted_takesItBack() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        let intent = F.intent(users, member: member)
        let slow = try await fixture.connection()
        let settlement = Settlement(member, users.map { F.change($0) }, withdrawn: [intent.id])
        let withdrawal = try await slow.transaction(timeout: .seconds(60)) { transaction in
            _ = try await transaction.run(Query.intent(intent.parameters))
            let withdrawal = Task { try await fixture.store.settle(settlement) }
            try await fixture.untilSomebodyWaits()
            return withdrawal
        }
        // It waits for some seconds, and is tried again if that was too short.
        var settled = try? await withdrawal.value
        if settled == nil { settled = try await fixture.store.settle(settlement) }
        #expect(settled?.settled == [F.user(1)])
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }

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
                    let settlement = Settlement(member, users.map { F.change($0) }, withdrawn: [intent.id])
                    _ = try await fixture.store.settle(settlement)
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.sql("select deadlocks from pg_stat_database where datname = current_database()") == "0")
    }

    /// Two daemons find an orphan at once: each push is recorded once.
    @Test func recover_whenTwoDaemonsDoItAtOnce_recordsOnce() async throws {
        let (fixture, member, users) = try await F.claimed(1...40)
        for start in stride(from: 0, to: 40, by: 4) {
            _ = try await fixture.store.commit(F.intent(Array(users[start..<start + 4]), member: member))
        }
        try fixture.die()
        let stores = (1...3).map { _ in Store(configuration: fixture.configuration) }
        let pushes = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores { group.addTask { try await store.recoverOrphans(limit: 99).pushes } }
            return try await group.reduce(0, +)
        }
        #expect(pushes == 40)
        #expect(try fixture.sql("select count(*), count(distinct apns_id) from nudged.delivery") == "40|40")
        let sends = try await fixture.store.reading { reader in
            var sends: [Int?] = []
            for user in (1...40).map(F.user) {
                sends.append(try await reader.user(user, now: F.now)?.user.history.sent.count)
            }
            return sends
        }
        #expect(sends == Array(repeating: 1, count: 40))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        for store in stores { await store.close() }
    }

    /// While the intent's transaction holds the row, a cancellation does not wait for it.
    @Test(arguments: [Query.holdMessages, .holdMessagesDistributed])
    func cancel_whileTheIntentIsBeingCommitted_doesNotWait(query: Query) async throws {
        let fixture = try await F.withUsers(1...1)
        let id = try fixture.sendMessage(1)
        let daemon = try await fixture.connection()
        try await daemon.transaction { transaction in
            let hold = Statement("hold", sql: query.sql, parameters: [.uuidArray([F.user(1)]), .uuidArray([id])])
            #expect(try await transaction.run(hold).count == 1)
            let cancel = "set lock_timeout = '5s'; select done from nudged_api.cancel(\(F.quoted(1)), '\(id)')"
            try fixture.expect(cancel, "0")
        }
    }

    /// Two at once, page by page: each member has one.
    @Test func fanOut_whenTwoDaemonsDoIt_tellsEachOnce() async throws {
        let fixture = try await F.withUsers()
        try fixture.fanOut(to: "select gen_random_uuid() as user_id from generate_series(1, 3001)")
        let other = Store(configuration: fixture.configuration)
        @Sendable func run(_ store: Store) async throws -> Int {
            var told = 0
            while true {
                let now = Instant(seconds: try await store.clock() / 1_000_000 + 1)
                guard let fanOut = try await store.dueFanOuts(now: now, except: [], limit: 1).first else { return told }
                switch try await store.tell(fanOut, next: nil, limit: 100) {
                case .told(let count, _), .finished(let count): told += count
                case .held: await Task.yield()
                }
            }
        }
        async let one = run(fixture.store)
        async let two = run(other)
        let counts = try await [one, two]
        #expect(counts.reduce(0, +) == 3001)
        #expect(try fixture.sql("select count(*), count(distinct user_id) from nudged.occurrence") == "3001|3001")
        #expect(try fixture.sql("select count(*) from nudged.touched") == "3001")
    }
}
