import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Members and their ranges, and the fence that they are.
@Suite(.ownThreads) struct OwnershipTests {
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

    @Test func endedLease_whenItIsRenewed_isForgotten() {
        let (other, third) = (UUID(), UUID())
        var ended = EndedLeases()
        #expect(ended.dead([other], now: 0, patience: 8) == [])
        #expect(ended.dead([other, third], now: 7, patience: 8) == [])
        #expect(ended.dead([other, third], now: 8, patience: 8) == [other])
        #expect(ended.dead([third], now: 9, patience: 8) == [])
        #expect(ended.dead([other, third], now: 15, patience: 8) == [third])
    }

    @Test(.timeLimit(.minutes(1))) func member_whoseLeaseHasEnded_isLeftForAWhile() async throws {
        let fixture = try await F()
        let other = try await fixture.member()
        try fixture.sql("update nudged.lease set alive_until = '1970-01-01'")
        let (deaths, died) = AsyncStream.makeStream(of: Int.self)
        func ownership(renewal milliseconds: Int64) -> Ownership {
            var hooks = SweepHooks()
            hooks.renewalMilliseconds = milliseconds
            return Ownership(fixture.store, Hand(), hooks, lease: 60_000, daemon: UUID()) { event in
                if case .membersDeclaredDead(let count) = event { died.yield(count) }
            }
        }
        let patient = ownership(renewal: 60_000)
        for _ in 1...3 { try await patient.renewNow() }
        #expect(try fixture.sql("select count(*) from nudged.member where id = '\(other)'") == "1")
        await patient.leave()
        let impatient = ownership(renewal: 1)
        try await impatient.keep()
        #expect(await deaths.first { _ in true } == 1)
        #expect(try fixture.sql("select count(*) from nudged.member where id = '\(other)'") == "0")
        await impatient.leave()
    }

    /// Between looking and ending: the death asks again once it holds the member.
    @Test func endMember_whenItWasRenewedMeanwhile_doesNothing() async throws {
        let fixture = try await F()
        let member = try await fixture.member()
        let statements = [Query.lockMember([.uuid(member)]), Query.endMember([.uuid(member), .bool(true)])]
        let rows = try await fixture.store.transaction(fixture.store.ownership, statements)
        #expect(try !rows[1].bool(0, 0))
        #expect(try fixture.sql("select count(*) from nudged.member") == "1")
    }

    // MARK: The fence

    /// The victim's commit is under way: the death waits for it, and finds its intent.
    @Test func death_whenItsVictimCommitsAnIntent_findsTheIntent() async throws {
        let (fixture, member, users) = try await F.claimed()
        try fixture.sql("update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(member)'")
        let victim = try await fixture.connection()
        try await victim.transaction(timeout: .seconds(30)) { transaction in
            _ = try await transaction.run(Query.intent(F.intent(users, member: member).parameters))
            #expect(try await fixture.store.declareDead([member]) == 0, "it holds the member")
        }
        #expect(try await fixture.store.declareDead([member]) == 1)
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 3))
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
