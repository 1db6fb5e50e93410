import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// What the intents of members that have ended become.
@Suite(.ownThreads) struct RecoverTests {
    typealias F = StoreFixture

    /// What the intent would have made of the histories, had its daemon lived, its finder makes of them.
    @Test(arguments: [false, true])
    func recover_whenADaemonDied_entersTheNudges(isCounted: Bool) async throws {
        let (fixture, member, users) = try await F.claimed()
        try fixture.sql("update nudged.person set check_in_at = '{2026-11-18 12:00Z}', check_in_slot = '{2026-11-18}'")
        _ = try await fixture.store.commit(F.intent(users, member: member, retry: #"{"x":1}"#, isCounted: isCounted))
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 3))
        let history =
            isCounted
            ? "{2026-11-18}|{}|1"
            : "{2026-11-20,2026-11-18}|{\"2026-11-20 12:00:00+00\"}|1"
        #expect(
            try fixture.lines(
                "select distinct check_in_slot, sent, retry->>'x' from nudged.person where cardinality(check_in_at) = cardinality(check_in_slot)"
            ) == [history]
        )
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init())
        await fixture.close()
    }

    @Test func recover_whenMembersLive_leavesTheirIntents() async throws {
        let (fixture, member, users) = try await F.claimed()
        _ = try await fixture.store.commit(F.intent([users[0]], member: member))
        #expect(try await fixture.store.recoverOrphans(limit: 10) == .init())
        #expect(try fixture.sql("select count(*) from nudged.intent") == "1")
        await fixture.close()
    }

    /// Two intents of one user, as two lanes have them: both count.
    @Test func recover_whenAUserIsInTwoIntents_entersBoth() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        for _ in 1...2 { _ = try await fixture.store.commit(F.intent(users, member: member)) }
        try fixture.die()
        _ = try await fixture.store.recoverOrphans(limit: 9)
        #expect(try fixture.sql("select cardinality(sent) from nudged.person") == "2")
        await fixture.close()
    }

    /// One user is being erased: the others are recorded, in the same intent too, and can be claimed.
    @Test(arguments: [1, 40])
    func recover_whenOneRowIsHeld_takesTheOthers(perIntent: Int) async throws {
        let (fixture, member, users) = try await F.claimed(1...40)
        for start in stride(from: 0, to: 40, by: perIntent) {
            _ = try await fixture.store.commit(F.intent(Array(users[start..<start + perIntent]), member: member))
        }
        try fixture.die()
        try await fixture.holding("select from nudged.person where user_id = \(F.quoted(2)) for update") {
            () async throws -> Void in
            let found = try await fixture.store.recoverOrphans(limit: 100)
            #expect(found.pushes == 39 && found.intents == (perIntent == 1 ? 39 : 0))
            #expect(found.refused.map(\.userID) == [F.user(2)] && found.refused.allSatisfy(\.isHeld))
            #expect(try fixture.sql("select count(*) from nudged.intent") == "1")
            let claimed = try await fixture.claim()
            #expect(Set(claimed.map(\.userID)) == Set(users.map(\.userID)).subtracting([F.user(2)]))
            // It is left for a while.
            #expect(try await fixture.store.recoverOrphans(limit: 100) == .init())
        }
        fixture.store.claiming.with { $0.orphans = [:] }
        #expect(try await fixture.store.recoverOrphans(limit: 100) == .init(intents: 1, pushes: 1))
        #expect(try fixture.sql("select count(*) from nudged.delivery where outcome = 'unknown'") == "40")
        await fixture.close()
    }

    /// What a hand has spoilt stops nobody else.
    @Test func recover_whenOneUserIsRefused_takesTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...9)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        try fixture.sql("update nudged.intent set retries[5] = 'no json'")
        try fixture.die()
        let found = try await fixture.store.recoverOrphans(limit: 100)
        #expect(found.pushes == 8 && found.refused.count == 1 && found.refused.first?.isHeld == false)
        #expect(try await fixture.claim().count == 8)
        await fixture.close()
    }
}
