import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Changes that apps made, and who takes them.
@Suite(.ownThreads) struct DrainTests {
    @Test func drain_whenTouchesWait_takesTheOldestFirst() async throws {
        let fixture = try await F.withUsers(1...20)
        // The newest user has the oldest touch.
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person order by user_id desc")
        #expect(try await fixture.drain(3) == 3)
        try fixture.expect(
            "select right(user_id::text, 2) from nudged.person where version > 1 order by 1",
            ["12", "13", "14"]
        )
        #expect(try await fixture.drain(100) == 17)
        #expect(try await fixture.drain(100) == 0)
    }

    @Test func drain_whenThereIsMoreThanItTakes_takesTheUrgentFirst() async throws {
        let fixture = try await F.withUsers(1...20)
        try fixture.sql(
            "insert into nudged.touched (user_id, urgent) select user_id, user_id = \(F.quoted(19)) from nudged.person"
        )
        #expect(try await fixture.drain(3) == 3)
        #expect(try fixture.sql("select count(*) from nudged.touched where urgent") == "0")
        try fixture.expect(
            "select user_id from nudged.person where due_at < '1971-01-01'",
            F.quoted(19).filter { $0 != "'" }
        )
    }

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

    /// All of a user's touches at once: the user is evaluated once for them.
    @Test func drain_whenAUserHasSeveral_takesThemTogether() async throws {
        let fixture = try await F.withUsers(1...50)
        try fixture.sql(
            "insert into nudged.touched (user_id) select user_id from nudged.person, generate_series(1, 20)"
        )
        try await fixture.drain(60)
        // Of everybody who was among the first sixty nothing is left.
        try fixture.expect(
            "select count(*) from nudged.touched t join nudged.person p using (user_id) where p.version > 1",
            "0"
        )
    }

    // MARK: Who is refused

    /// One user is being erased, and others have changed: their changes are taken.
    @Test(arguments: [
        "select from nudged.person where user_id = \(F.quoted(2)) for update",
        "delete from nudged.touched where user_id = \(F.quoted(2))",
    ]) func drain_whenOneRowIsHeld_takesTheOthers(holding: String) async throws {
        let fixture = try await F()
        // Few: who is to blame is searched for some seconds only.
        try fixture.seed(1...10)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        try await fixture.holding(holding) { () async throws -> Void in
            var refused: [Refusal] = []
            #expect(try await fixture.drain { refused.append($0) } == 9)
            #expect(refused.map(\.userID) == [F.user(2)] && refused.allSatisfy(\.isHeld))
            // It is left for a while, and nothing asks for it meanwhile.
            #expect(try await fixture.drain { refused.append($0) } == 0)
            #expect(refused.count == 1)
        }
    }

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

    /// Whatever it is that one user's row does to the statement.
    @Test func drain_whenOneUserIsRefused_takesTheOthers() async throws {
        let fixture = try await F.withUsers(1...100)
        try fixture.sql(
            """
            create function public.poison() returns trigger language plpgsql as $$ begin
                if new.user_id = \(F.quoted(7)) then raise exception 'planted-secret'; end if; return new;
            end $$;
            create trigger poison before update on nudged.person for each row execute function public.poison();
            insert into nudged.touched (user_id) select user_id from nudged.person
            """
        )
        var refused: [Refusal] = []
        #expect(try await fixture.drain { refused.append($0) } == 99)
        #expect(refused.map(\.userID) == [F.user(7)] && refused.allSatisfy { !$0.isHeld })
        #expect(refused.first?.error.hasPrefix("P0001") == true && !"\(refused)".contains("planted"))
    }
}
