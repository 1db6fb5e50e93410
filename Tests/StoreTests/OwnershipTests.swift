import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Members and their ranges, and the fence that they are.
@Suite(.ownThreads) struct OwnershipTests {
    @Test func join_whenAlone_getsAllRanges() async throws {
        let fixture = try await F()
        let (member, daemon) = (UUID(), UUID())
        try await fixture.store.join(member, daemon: daemon, leaseMilliseconds: 60_000)
        // The answer was lost.
        try await fixture.store.join(member, daemon: daemon, leaseMilliseconds: 60_000)
        let membership = try #require(try await fixture.store.renew(member, leaseMilliseconds: 60_000))
        #expect(membership.ranges == F.ranges && membership.living == [member] && membership.free == 0)
        #expect(try fixture.sql("select count(*) from nudged.member") == "1")
    }

    /// A join whose connection was given up takes effect after its daemon has joined again: it makes a membership of nobody, and touches no other.
    @Test func join_whenItTakesEffectLate_leavesTheNewerMembership() async throws {
        let fixture = try await F()
        let other = try await fixture.member()
        let daemon = UUID()
        let member = try await fixture.member(id: daemon)
        try await fixture.store.join(UUID(), daemon: daemon, leaseMilliseconds: 1)
        #expect(
            try await eventually { try await fixture.store.declareDead(except: other) == 1 },
            "only the late one is dead"
        )
        #expect(try await fixture.store.renew(member, leaseMilliseconds: 60_000) != nil)
    }

    @Test func renew_whenRangesAreFree_takesTheFairShare() async throws {
        let fixture = try await F()
        let members = [UUID(), UUID(), UUID()]
        for member in members { try await fixture.store.join(member, daemon: UUID(), leaseMilliseconds: 60_000) }
        var counts: [Int] = []
        for member in members {
            counts.append(try #require(try await fixture.store.renew(member, leaseMilliseconds: 60_000)).ranges.count)
        }
        #expect(counts == [22, 22, 20])
        // A renewal takes nothing more.
        let again = try #require(try await fixture.store.renew(members[0], leaseMilliseconds: 60_000))
        #expect(again.ranges.count == 22 && again.living == Set(members) && !again.shouldRejoin)
    }

    /// Two at once share what is free: nothing is taken twice, nobody waits.
    @Test func renew_whenTwoTakeAtOnce_shareTheRanges() async throws {
        let fixture = try await F()
        let other = Store(configuration: fixture.configuration)
        let (a, b) = (UUID(), UUID())
        for member in [a, b] { try await fixture.store.join(member, daemon: UUID(), leaseMilliseconds: 60_000) }
        async let left = fixture.store.renew(a, leaseMilliseconds: 60_000)
        async let right = other.renew(b, leaseMilliseconds: 60_000)
        _ = try await (left, right)
        #expect(try fixture.lines("select count(*) from nudged.range group by owner") == ["32", "32"])
    }

    @Test func leave_whenNothingIsOpen_freesTheRanges() async throws {
        let fixture = try await F()
        let (a, b) = (try await fixture.member(), try await fixture.member())
        let loaded = try #require(try await fixture.store.renew(a, leaseMilliseconds: 60_000))
        #expect(loaded.ranges.count == 64 && loaded.shouldRejoin)
        #expect(try await fixture.store.leave(a))
        #expect(try await fixture.store.leave(a), "twice does no harm")
        let later = try #require(try await fixture.store.renew(b, leaseMilliseconds: 60_000))
        #expect(later.ranges.count == 64 && later.living == [b])
        #expect(try await fixture.store.renew(a, leaseMilliseconds: 60_000) == nil)
    }

    @Test func leave_whenAnIntentIsOpen_isRefused() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        #expect(try await !fixture.store.leave(member))
        #expect(try fixture.sql("select count(*) from nudged.range where owner is not null") == "64")
        _ = try await fixture.store.settle(Settlement(member, users.map { F.change($0) }, closed: [F.whole(intent)]))
        #expect(try await fixture.store.leave(member))
    }

    @Test func declareDead_whenALeaseHasEnded_freesItsRangesAndOrphansItsIntents() async throws {
        let (fixture, member, users) = try await F.claimed()
        _ = try await fixture.store.commit(F.intent([users[0]], member: member))
        let other = try await fixture.member()
        #expect(try await fixture.store.declareDead(except: other) == 0)
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(member)'")
        #expect(try await fixture.store.declareDead(except: other) == 1)
        #expect(try await fixture.store.renew(member, leaseMilliseconds: 60_000) == nil)
        let membership = try #require(try await fixture.store.renew(other, leaseMilliseconds: 60_000))
        #expect(membership.ranges.count == 64)
        #expect(try fixture.sql("select member is null from nudged.intent") == "t")
        // Nobody claims the orphan's user before it is recorded.
        #expect(try await fixture.claim().map(\.userID) == [users[1].userID, users[2].userID])
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 1))
        #expect(try await fixture.claim().count == 3)
    }

    /// A member without a daemon's row is left from a join whose answer was lost.
    @Test func declareDead_whenAMemberHasNoDaemon_endsIt() async throws {
        let fixture = try await F()
        try fixture.sql("insert into nudged.member (id, daemon_id) values (gen_random_uuid(), gen_random_uuid())")
        let mine = try await fixture.member()
        #expect(try await fixture.store.declareDead(except: mine) == 1)
        #expect(try fixture.lines("select id from nudged.member") == [mine.uuidString.lowercased()])
    }

    /// After an outage of the database, living daemons get time to renew first.
    @Test func declareDead_whenTheDatabaseWasAway_waits() async throws {
        let fixture = try await F()
        let (mine, other) = (try await fixture.member(), try await fixture.member())
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(other)'")
        try fixture.sql(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
        var store = fixture.store
        store.findingBack = .seconds(600)
        #expect(try await store.declareDead(except: mine) == 0)
        store.findingBack = .zero
        #expect(try await store.declareDead(except: mine) == 1)
    }

    /// A renewal and a death at once: one of them wins, and the member knows which.
    @Test func declareDead_whenTheMemberRenewsAtThatMoment_leavesIt() async throws {
        let fixture = try await F()
        let (mine, other) = (try await fixture.member(), try await fixture.member())
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(other)'")
        let renewing = try await fixture.connection()
        try await renewing.transaction(timeout: .seconds(30)) { transaction in
            _ = try await transaction.run(Query.holdMember([.uuid(other)]))
            _ = try await transaction.run(Query.renew([.uuid(other), .int8(60_000)]))
            // It waits for the renewal, and gives up: the next renewal of ours tries again.
            #expect(try await fixture.store.declareDead(except: mine) == 0)
        }
        #expect(try await fixture.store.declareDead(except: mine) == 0)
        #expect(try await fixture.store.renew(other, leaseMilliseconds: 60_000) != nil)
    }

    /// Between looking and ending: the death asks again once it holds the member.
    @Test func endMember_whenItWasRenewedMeanwhile_doesNothing() async throws {
        let fixture = try await F()
        let member = try await fixture.member()
        let rows = try await fixture.store.transaction(
            fixture.store.ownership,
            [Query.lockMember([.uuid(member)]), Query.endMember([.uuid(member), .bool(true)])]
        )
        #expect(try !rows[1].bool(0, 0))
        #expect(try fixture.sql("select count(*) from nudged.member") == "1")
    }

    // MARK: The fence

    @Test func writes_whenTheMembershipHasEnded_areRefused() async throws {
        let (fixture, member, users) = try await F.claimed()
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        try fixture.die()
        let rows = "select * from nudged.person order by 1; select * from nudged.touched order by 1"
        let before = try fixture.sql(rows)
        let store = fixture.store
        let writes: [@Sendable () async throws -> Void] = [
            { _ = try await store.drain(member: member, ranges: F.ranges, limit: 9, now: F.now) },
            {
                _ = try await store.settle(Settlement(member, users.map { F.change($0, F.record($0)) }))
            },
            {
                let postponements = users.map { Postponement(userID: $0.userID, version: nil, until: F.now) }
                try await store.postpone(postponements, member: member)
            },
            { _ = try await store.noteAnalysed(users[0].userID, member: member, [F.now]) },
            { _ = try await store.analysed(users[0].userID, member: member) },
        ]
        for (place, write) in writes.enumerated() {
            let error = await #expect(throws: PostgresError.self, "\(place)") { try await write() }
            #expect(error?.sqlState == "ND020" && error?.isFenced == true, "\(place)")
        }
        try fixture.sql("truncate nudged.touched")
        let refused = await #expect(throws: PostgresError.self) {
            try await store.commit(F.intent(users, member: member))
        }
        #expect(refused?.sqlState == "23503" && refused?.isFenced == true)
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "0")
        #expect(try fixture.sql(rows).hasPrefix(before.prefix(40)))
    }

    /// The victim's commit is under way: the death waits for it, and finds its intent.
    @Test func death_whenItsVictimCommitsAnIntent_findsTheIntent() async throws {
        let (fixture, member, users) = try await F.claimed()
        let other = try await fixture.member()
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(member)'")
        let victim = try await fixture.connection()
        try await victim.transaction(timeout: .seconds(30)) { transaction in
            _ = try await transaction.run(Query.intent(F.intent(users, member: member).parameters))
            #expect(try await fixture.store.declareDead(except: other) == 0, "it holds the member")
        }
        #expect(try await fixture.store.declareDead(except: other) == 1)
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 3))
    }

    /// The death is under way: the victim's commit waits for it, and fails on the foreign key.
    @Test func commit_whenItsMemberIsBeingDeclaredDead_fails() async throws {
        let (fixture, member, users) = try await F.claimed()
        let gravedigger = try await fixture.connection()
        let commit = try await gravedigger.transaction(timeout: .seconds(30)) { transaction in
            try await transaction.execute(script: "delete from nudged.member")
            let commit = Task { try await fixture.store.commit(F.intent(users, member: member)) }
            try await fixture.untilSomebodyWaits()
            return commit
        }
        let error = await #expect(throws: PostgresError.self) { try await commit.value }
        #expect(error?.isFenced == true)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }
}

/// What follows from who owns which range.
struct MembershipTests {
    private static let ids = (0..<4).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0))) }

    /// - Parameter counts: how many each member owns.
    private static func membership(_ me: Int, _ counts: [Int]) -> Membership {
        var owners: [Int32: UUID?] = [:]
        var next: Int32 = -32
        for (place, count) in counts.enumerated() {
            for _ in 0..<count {
                owners[next] = .some(ids[place])
                next += 1
            }
        }
        while next < 32 {
            owners[next] = .some(nil)
            next += 1
        }
        return Membership(member: ids[me], owners: owners, living: Set(ids.prefix(counts.count)))
    }

    @Test(
        arguments: [
            (0, [64, 0], true), (1, [64, 0], false),
            // A fair share: 22 at most of three, 21 at least.
            (0, [22, 21, 21], false), (0, [23, 21, 20], true), (0, [22, 22, 20], false),
            // Ties: the smallest id.
            (0, [32, 32, 0], true), (1, [32, 32, 0], false),
            // Something is free: it is taken instead.
            (0, [60, 0], false), (0, [64], false),
        ] as [(Int, [Int], Bool)]
    ) func shouldRejoin_whenSharesDiffer_isTrueOfOne(me: Int, counts: [Int], rejoins: Bool) {
        #expect(Self.membership(me, counts).shouldRejoin == rejoins)
    }

    @Test func ranges_areOursAndSorted() {
        let membership = Self.membership(1, [1, 3])
        #expect(membership.ranges == [-31, -30, -29] && membership.free == 60)
    }
}
