import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// What the intents of members that have ended become.
@Suite(.ownThreads) struct RecoverTests {
    /// Recovery records what the intent announced.
    @Test func recover_whenADaemonDied_recordsWhatItAnnounced() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member, retry: #"{"x":1}"#)
        _ = try await fixture.store.commit(intent)
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 3))
        #expect(try fixture.states() == intent.changes.map(\.state))
        #expect(try fixture.lines("select distinct retry->>'x', evaluated_at, turn from nudged.person").count == 1)
        // Users are still due, so they are evaluated soon.
        #expect(try await fixture.claim().map(\.userID) == users.map(\.userID))
        let apnsIDs = intent.changes.flatMap(\.records).compactMap(\.apnsID)
        #expect(
            try fixture.lines("select apns_id, outcome, reason, status, sweep_id from nudged.delivery order by user_id")
                == apnsIDs.map { "\($0)|unknown|daemon_lost||\(intent.sweepID)".lowercased() }
        )
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init())
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
        #expect(try fixture.sends() == Array(repeating: 1, count: 40))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        for store in stores { await store.close() }
    }

    /// The daemon is declared dead while it settles: its settlement came first, or it is refused.
    @Test func recover_whenTheUserWasSettledBefore_recordsNothingMore() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        _ = try await fixture.store.settle(Settlement(member, [F.change(users[0], F.record(users[0]))]))
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 0))
        #expect(try fixture.lines("select outcome from nudged.delivery") == ["accepted"])
    }

    /// A message was put off by its answer. It would have ended if that answer had stayed unknown.
    @Test func recover_whenTheUserWasSettledBefore_endsNothingOfTheirs() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        let message = try #require(
            UUID(uuidString: try fixture.sql("select (nudged_api.send(\(F.quoted(1)), 'Ann', 'Hello')).id"))
        )
        var changes = users.map { F.announced($0, [F.record($0, .unknown, status: nil)]) }
        changes[0].ended = [message]
        _ = try await fixture.store.commit(F.intent(member, changes))
        _ = try await fixture.store.settle(Settlement(member, [F.change(users[0], F.record(users[0], .deferred))]))
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 1))
        #expect(try fixture.sql("select id from nudged.message") == message.uuidString.lowercased())
    }

    /// A promoted standby lacks the settlement before. The next outcome is recorded all the same.
    @Test func settle_whenAnEarlierTurnIsLost_recordsTheLaterOne() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        try fixture.sql("update nudged.person set turn = turn - 1")
        let settlement = Settlement(member, [F.change(users[0], F.record(users[0]))])
        for settled in [1, 0] {
            #expect(try await fixture.store.settle(settlement).settled.count == settled)
            try fixture.expect(
                "select count(*), min(turn - \(users[0].turn)) from nudged.delivery, nudged.person",
                "1|1"
            )
        }
    }

    @Test func recover_whenMembersLive_leavesTheirIntents() async throws {
        let (fixture, member, users) = try await F.claimed()
        _ = try await fixture.store.commit(F.intent([users[0]], member: member))
        #expect(try await fixture.store.recoverOrphans(limit: 10) == .init())
        #expect(try fixture.sql("select count(*) from nudged.intent") == "1")
    }

    /// One user is being erased: the others are recorded, in the same intent too, and can be claimed.
    @Test(arguments: [1, 40]) func recover_whenOneRowIsHeld_takesTheOthers(perIntent: Int) async throws {
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
    }

    /// What a hand has spoilt stops nobody else.
    @Test(arguments: ["'\\x'", "'\\x02'", "contents[5] || '\\x00'", "substr(contents[5], 1, 20)"])
    func recover_whenOneUsersPartCanNotBeRead_takesTheOthers(damage: String) async throws {
        let (fixture, member, users) = try await F.claimed(1...9)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        try fixture.sql("update nudged.intent set contents[5] = \(damage)")
        try fixture.die()
        let found = try await fixture.store.recoverOrphans(limit: 100)
        #expect(found.intents == 0 && found.pushes == 8)
        #expect(found.refused.map(\.userID) == [users[4].userID] && found.refused.first?.isHeld == false)
        #expect(try await fixture.claim().count == 8)
    }
}
