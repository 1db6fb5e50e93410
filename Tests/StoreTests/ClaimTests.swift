import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

@Suite(.ownThreads) struct ClaimTests {
    /// - Returns: everybody, claim by claim, as a daemon that has them in hand asks on.
    private func claimAll(_ fixture: F, ranges: [Int32] = F.ranges, limit: Int) async throws -> [[UUID]] {
        var claims: [[UUID]] = []
        while true {
            let (isFirst, inHand) = (claims.isEmpty, Set(claims.flatMap(\.self)))
            let found = try await fixture.store.claimed(limit, ranges: ranges, startingOver: isFirst, inHand: inHand)
            claims.append(found.users.map(\.userID))
            if found.isComplete { return claims }
            try #require(claims.count < 1_000)
        }
    }

    @Test func claim_whenMoreAreDueThanTheLimit_goesOnUntilAllHaveCome() async throws {
        let fixture = try await F.withUsers(1...400)
        try fixture.sql("update nudged.person set due_at = '2030-01-01' where user_id = \(F.quoted(5))")
        let before = try fixture.sql("select * from nudged.person order by 1")
        let users = try await claimAll(fixture, limit: 30).flatMap(\.self)
        #expect(users.count == 399 && Set(users) == Set((1...400).filter { $0 != 5 }.map(F.user)))
        #expect(try fixture.sql("select * from nudged.person order by 1") == before, "a claim writes nothing")
    }

    @Test func claim_whenOthersAreInHand_isNotCompleteBeforeAllHaveCome() async throws {
        let fixture = try await F.withUsers(1...15)
        let found = try await fixture.store.claimed(8, inHand: Set((1...5).map(F.user)))
        #expect(found.users.count == 8 && !found.isComplete)
        #expect(Set(found.users.map(\.userID)).isDisjoint(with: (1...5).map(F.user)))
    }

    /// Within a range the earliest come first, so that nobody waits while others are served again and again.
    @Test func claim_whenMoreAreDueThanTheLimit_takesTheEarliestOfARange() async throws {
        let fixture = try await F.withUsers(1...2000)
        let claimed = try await fixture.claim(200)
        let list = claimed.map { "'\($0.userID)'" }.joined(separator: ",")
        // Of each range that was asked nobody who is left became due before one who was taken.
        let wrong = try fixture.sql(
            """
            with taken as (select uuid_hash(user_id) >> 26 as range, max(due_at) as last from nudged.person where user_id in (\(list)) group by 1)
            select count(*) from nudged.person p join taken t on uuid_hash(p.user_id) >> 26 = t.range
            where p.due_at < t.last and p.user_id not in (\(list))
            """
        )
        #expect(wrong == "0" && claimed.count == 200)
    }

    @Test(arguments: [1, 7, 32]) func claim_whenSomeRangesAreOurs_findsTheirUsersAndNoOthers(count: Int) async throws {
        let fixture = try await F.withUsers(1...1000)
        let ranges = Array(F.ranges.shuffled().prefix(count))
        let claims = try await claimAll(fixture, ranges: ranges, limit: 20)
        let list = ranges.map(String.init).joined(separator: ",")
        let ours = try fixture.lines("select user_id from nudged.person where uuid_hash(user_id) >> 26 in (\(list))")
        #expect(Set(claims.flatMap(\.self)) == Set(ours.compactMap { UUID(uuidString: $0) }))
        #expect(claims.flatMap(\.self).count == ours.count && claims.allSatisfy { $0.count <= 20 })
    }

    /// A range that came meanwhile is in the next claim, whatever the last look for the oldest found.
    @Test func claim_whenRangesCome_looksIntoThem() async throws {
        let fixture = try await F.withUsers(1...200)
        let some = Array(F.ranges.prefix(10))
        let first = try await claimAll(fixture, ranges: some, limit: 1000).flatMap(\.self)
        let found = try await fixture.store.claimed(startingOver: false, inHand: Set(first))
        #expect(found.isComplete && found.users.count + first.count == 200)
    }

    /// A walk that goes on leaves them out by itself: its statement has no list of them. It passes each of them once.
    @Test func claim_whenTheWalkMeetsUsersInHand_leavesThem() async throws {
        let fixture = try await F.withUsers(1...400)
        let people = "from nudged.person group by range order by count(*) desc, range limit 1"
        let fullest = try fixture.lines("select uuid_hash(user_id) >> 26 as range \(people)")[0]
        let ranges = [try #require(Int32(fullest))]
        let users = try await claimAll(fixture, ranges: ranges, limit: 1000).flatMap(\.self)
        try #require(users.count >= 4)
        let free = users.suffix(2)
        var inHand = Set(users.dropLast(2))
        for user in free {
            let isFirst = user == free.first
            let found = try await fixture.store.claimed(1, ranges: ranges, startingOver: isFirst, inHand: inHand)
            #expect(found.users.map(\.userID) == [user])
            inHand.insert(user)
        }
    }

    /// Urgent messages go first, also while others of them wait for their answers.
    @Test func claim_whenUrgentUsersAreInHand_findsTheNextUrgentOne() async throws {
        let fixture = try await F.withUsers(1...200)
        let urgent = "\(F.quoted(5)), \(F.quoted(6))"
        try fixture.sql("update nudged.person set due_at = '1970-01-01' where user_id in (\(urgent))")
        let first = Set(try await fixture.claim(1).map(\.userID))
        // After a slow look for urgent messages, a store has a rest. This one has looked for none.
        let other = Store(configuration: fixture.configuration)
        let next = try await other.claimed(1, inHand: first).users
        await other.close()
        #expect(first.union(next.map(\.userID)) == [F.user(5), F.user(6)])
    }
}

/// What a row may hold without a trap, however it came there.
struct ClaimedUserTests {
    private func user(version: Int64) -> ClaimedUser {
        ClaimedUser(ClaimedUser.Values(userID: F.user(1), version: version, dueAt: 0))
    }

    @Test func version_whenAUserIsTouched_countsOn() {
        let now = Instant(seconds: 1_000)
        let change: Instant? = now
        let arrival: Instant? = nil
        #expect(user(version: 0).touched(change, now: now).version == 1)
        #expect(user(version: 7).touched(change, now: now).version == 1 << 32)
        #expect(user(version: 7).touched(arrival, now: now).version == 8)
        #expect(user(version: .max).touched(change, now: now).version == .min)
        #expect(user(version: .max).touched(arrival, now: now).version == .min)
    }

    @Test func slot_whenOutsideTheCalendar_isNone() {
        #expect(LocalDate(slot: 2_932_896) == LocalDate(year: 9999, month: 12, day: 31))
        #expect(LocalDate(slot: 0) == LocalDate(year: 1970, month: 1, day: 1))
        // The last one is PostgreSQL's 5874897-12-31.
        for days in [-1, .min, .max, 2_932_897, 2_145_042_905] as [Int64] { #expect(LocalDate(slot: days) == nil) }
    }
}
