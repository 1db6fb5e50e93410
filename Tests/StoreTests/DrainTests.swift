import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Changes that apps made, and who takes them.
@Suite(.ownThreads) struct DrainTests {
    /// Others' ranges are others' work.
    @Test func drain_whenARangeIsNotOurs_leavesItsTouches() async throws {
        let fixture = try await F.withUsers(1...200)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        let member = try await fixture.member()
        let mine = Array(F.ranges.prefix(20))
        let taken = try await fixture.store.drain(member: member, ranges: mine, limit: 1000, now: F.now)
        let left = try fixture.sql("select count(*), min(uuid_hash(user_id) >> 26) from nudged.touched")
        #expect(left == "\(200 - taken)|-12" && taken > 0)
    }

    /// One user's 400,000 touches: a neighbour's ordinary change is taken soon, an urgent one at once.
    @Test func drain_whenOneUserHasVeryMany_servesTheNeighbours() async throws {
        let fixture = try await F.withUsers(1...3)
        try fixture.sql("insert into nudged.touched (user_id) select \(F.quoted(1)) from generate_series(1, 400000)")
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(2)))")
        try fixture.sql("insert into nudged.touched (user_id, urgent) values (\(F.quoted(3)), true)")
        let member = try await fixture.member()
        var drains = 0
        while try fixture.sql("select version from nudged.person where user_id = \(F.quoted(2))") == "1" {
            let taken = try await fixture.store.drain(member: member, ranges: F.ranges, limit: 1_000, now: F.now)
            drains += 1
            #expect(taken <= 21_000)
            if drains == 1 {
                #expect(try fixture.sql("select version > 1 from nudged.person where user_id = \(F.quoted(3))") == "t")
            }
            try #require(drains < 40)
        }
        #expect(drains == 21)
        #expect(try await fixture.drain() == 0)
    }

    // MARK: Who is refused

    @Test func drain_whenManyRowsAreHeld_takesTheOthersSoon() async throws {
        let fixture = try await F.withUsers(1...600)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        try await fixture.holding("select from nudged.person where user_id <= \(F.quoted(400)) for update") {
            () async throws -> Void in
            let began = ContinuousClock.now
            #expect(try await fixture.drain() == 200)
            #expect(ContinuousClock.now - began < .seconds(10))
        }
    }
}
