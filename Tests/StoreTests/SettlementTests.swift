import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Outcomes and decisions, as they are settled.
@Suite(.ownThreads) struct SettlementTests {
    @Test func settle_whenTheIntentIsWhole_recordsAndClosesIt() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let result = try await fixture.store.settle(
            Settlement(member, users.map { F.change($0, F.record($0)) }, closed: [F.whole(intent)])
        )
        #expect(result == .init(settled: Set(users.map(\.userID))))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        try fixture.expect("select count(*) from nudged.delivery where outcome = 'accepted' and status = 200", "3")
        try fixture.expect(
            "select count(*) from nudged.person where due_at = '2026-11-20 13:00Z' and evaluated_at = '2026-11-20 12:00Z'",
            "3"
        )
    }

    /// One push is silent: the others' outcomes are recorded, and if the daemon dies only that one becomes unknown.
    @Test func settle_whenPartOfTheIntentIsAnswered_leavesTheRestOpen() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let answered = Array(users.prefix(2))
        let settlement = Settlement(
            member,
            answered.map { F.change($0, F.record($0)) },
            closed: [F.part(intent, Array(intent.changes.prefix(2)))]
        )
        for count in [2, 0] {
            let isRepeated = count == 0
            #expect(try await fixture.store.settle(settlement, isRepeated: isRepeated).settled.count == count)
            #expect(try fixture.sql("select open from nudged.intent") == "1")
        }
        #expect(try fixture.lines("select outcome from nudged.delivery") == ["accepted", "accepted"])
        try fixture.die()
        // Who is settled is not held back by the orphan.
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        #expect(try await fixture.claim().map(\.userID) == answered.map(\.userID))
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 1))
        try fixture.expect(
            "select right(user_id::text, 1), outcome from nudged.delivery order by 1",
            ["1|accepted", "2|accepted", "3|unknown"]
        )
        #expect(try fixture.sends() == [0, 0, 1])
    }

    /// Each lane's answers come when they come.
    @Test func settle_whenTheIntentIsClosedInParts_deletesItWithTheLast() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        for (place, user) in users.enumerated() {
            #expect(try fixture.sql("select open from nudged.intent") == "\(3 - place)")
            let settlement = Settlement(
                member,
                [F.change(user, F.record(user))],
                closed: [F.part(intent, [intent.changes[place]], isWhole: place == 2)]
            )
            #expect(try await fixture.store.settle(settlement).settled == [user.userID])
        }
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "3")
    }

    /// A promoted standby has not got what was settled before: those users are not forgotten with the last one.
    @Test(arguments: [false, true])
    func settle_whenTheLastIsAnsweredAndOthersAreOpen_leavesTheOthersToRecovery(isRepeated: Bool) async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let settlement = Settlement(
            member,
            [F.change(users[2], F.record(users[2]))],
            closed: [F.part(intent, [intent.changes[2]], isWhole: true)]
        )
        _ = try await fixture.store.settle(settlement)
        if isRepeated { _ = try await fixture.store.settle(settlement, isRepeated: true) }
        #expect(try fixture.sql("select member is null, open from nudged.intent") == "t|2")
        // Nobody claims the others before they are recorded.
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        #expect(try await fixture.claim(member: member).map(\.userID) == [F.user(3)])
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 2))
        try fixture.expect(
            "select right(user_id::text, 1), outcome from nudged.delivery order by 1",
            ["1|unknown", "2|unknown", "3|accepted"]
        )
    }

    /// A promoted standby lacks the end of an intent. Its users wait until the daemon has seen that.
    @Test func claim_whenAnIntentOfTheMemberIsUnknownToIt_leavesItsUsers() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intents = users.prefix(2).map { F.intent([$0], member: member) }
        for intent in intents { _ = try await fixture.store.commit(intent) }
        let claimed = try await fixture.store.claim(
            ranges: F.ranges,
            now: F.now,
            limit: 9,
            member: member,
            intents: [intents[0].id]
        )
        #expect(claimed.users.map(\.userID) == [F.user(1), F.user(3)])
        // An orphan's users wait, even if the daemon was its member and knows it.
        try fixture.die()
        let again = try await fixture.store.claim(ranges: F.ranges, now: F.now, limit: 9, intents: intents.map(\.id))
        #expect(again.users.map(\.userID) == [F.user(3)])
    }

    /// A promoted standby lacks a turn. A decision that sends nothing is based on it: on its 410, which deleted the token,
    /// or on its push. The decision would hide that these have no record.
    @Test(arguments: [false, true])
    func settle_whenTheDatabaseLacksAnEarlierTurn_takesOnlyPushes(isPush: Bool) async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql("update nudged.person set turn = 3")
        let member = try await fixture.member()
        let user = try #require(try await fixture.claim().first)
        try fixture.sql("update nudged.person set turn = 2")
        var change = F.change(user, history: History(sent: [F.now]))
        change.records = [isPush ? F.record(user) : F.record(user, .skipped, apnsID: nil)]
        let settlement = Settlement(member, [change])
        #expect(try await fixture.store.settle(settlement).settled == (isPush ? [user.userID] : []))
        #expect(try fixture.sql("select count(*) from nudged.delivery") == (isPush ? "1" : "0"))
        #expect(try await fixture.claim().count == (isPush ? 0 : 1))
    }

    /// Its connection was given up, and it takes effect after the user was claimed and settled again.
    @Test func settle_whenItTakesEffectLate_changesAndRecordsNothing() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        func settlement(_ user: ClaimedUser, at now: Instant, _ sent: [Instant]) -> Settlement {
            var change = F.change(user, F.record(user), dueAt: now - 60, history: History(sent: sent))
            change.evaluatedAt = now
            return Settlement(member, [change])
        }
        let late = settlement(users[0], at: F.now, [])
        #expect(try await fixture.store.settle(late).settled.count == 1)
        let again = try #require(try await fixture.claim().first)
        #expect(again.turn == users[0].turn + 1)
        let newer = settlement(again, at: F.now + 60, [F.now + 60])
        #expect(try await fixture.store.settle(newer).settled.count == 1)
        let rows = "select * from nudged.person; select * from nudged.delivery order by apns_id"
        let before = try fixture.sql(rows)
        #expect(try await fixture.store.settle(late) == .init())
        #expect(try fixture.sql(rows) == before)
    }

    /// A declined nudge has no intent that would check its user. So the settlement does, in its own transaction.
    @Test(arguments: [false, true])
    func settle_whenAUserMustBeUnchangedAndIsNot_writesNothingOfThem(isDrained: Bool) async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        let intent = F.intent([users[0]], member: member)
        _ = try await fixture.store.commit(intent)
        // Something new to send changes nothing about what was decided.
        _ = try fixture.sql("select (nudged_api.send(\(F.quoted(2)), 'a', 'b')).id")
        let message = try fixture.sql("select (nudged_api.send(\(F.quoted(3)), 'a', 'b')).id")
        try fixture.sql(
            """
            update public.context_profiles
            set notification_preferences = notification_preferences || '{"smart_enabled": false}'
            where user_id = \(F.quoted(3))
            """
        )
        if isDrained { try await fixture.drain() }
        var changes = users.map { F.change($0, F.record($0)) }
        for place in 1...2 { changes[place].isOnlyIfUnchanged = true }
        changes[2].ended = [try #require(UUID(uuidString: message))]
        let result = try await fixture.store.settle(Settlement(member, changes, closed: [F.whole(intent)]))
        #expect(result.changed == [F.user(3)] && result.settled.count == 2 && result.refused.isEmpty)
        #expect(try fixture.lines("select right(user_id::text, 1) from nudged.delivery order by 1") == ["1", "2"])
        try fixture.expect("select evaluated_at is null from nudged.person order by user_id", ["f", "f", "t"])
        #expect(try fixture.sql("select count(*) from nudged.message where id = '\(message)'") == "1")
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }

    /// The change is committed while the settlement waits for a lock: a check before the transaction would miss it.
    @Test func settle_whenTheUserChangesMeanwhile_writesNothingOfThem() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        var change = F.change(users[0], F.record(users[0]))
        change.isOnlyIfUnchanged = true
        let settlement = Settlement(member, [change])
        let holder = try await fixture.connection()
        let settling = try await holder.transaction(timeout: .seconds(60)) { transaction in
            try await transaction.execute(script: "select from nudged.person for update")
            let settling = Task { try await fixture.store.settle(settlement) }
            try await fixture.untilSomebodyWaits()
            try fixture.sql("update public.context_profiles set notification_preferences = null")
            return settling
        }
        let result = try await settling.value
        // Refused, if the lock was held for longer than a settlement waits.
        #expect(result.changed == [F.user(1)] || result.refused.contains { $0.isHeld })
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "0")
    }

    @Test func settle_whenTheVersionHasChanged_keepsTheUserDue() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        try await fixture.drain()
        _ = try await fixture.store.settle(Settlement(member, users.map { F.change($0) }))
        try fixture.expect(
            "select due_at > '2026-11-20 12:00Z', touched_at is null from nudged.person order by user_id",
            ["f|f", "t|t"]
        )
    }

    /// The answer was lost, so it is settled again.
    @Test func settle_whenItIsRepeated_recordsOnce() async throws {
        let (fixture, member, users) = try await F.claimed()
        let settlement = Settlement(member, users.map { F.change($0, F.record($0, .skipped, hash: "")) })
        let rows = "select * from nudged.person order by user_id"
        #expect(try await fixture.store.settle(settlement).settled.count == 3)
        let before = try fixture.sql(rows)
        for isRepeated in [false, true] {
            #expect(try await fixture.store.settle(settlement, isRepeated: isRepeated).settled.isEmpty)
        }
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "3")
        #expect(try fixture.sql(rows) == before)
    }

    /// A series goes on once, however often that is said.
    @Test func settle_whenItIsRepeated_continuesASeriesOnce() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        try fixture.sql(
            """
            insert into nudged.occurrence (
                user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own, recurrence, first_at
            ) values (\(F.quoted(1)), gen_random_uuid(), \(F.quoted(1)), 'task', '7', 'a', 'b', now(), true, 'FREQ=DAILY', now())
            """
        )
        let id = try #require(UUID(uuidString: try fixture.sql("select id from nudged.occurrence")))
        let next = ReminderContinuation(
            userID: users[0].userID,
            id: id,
            number: 2,
            first: .at(F.now),
            planned: LocalDateTime(F.slot + 1, secondOfDay: 0),
            due: .at(F.now + 86_400),
            instant: F.now + 86_400
        )
        var change = F.change(users[0], ended: [id])
        change.continued = [next]
        let settlement = Settlement(member, [change])
        for _ in 1...2 { _ = try await fixture.store.settle(settlement) }
        #expect(try fixture.lines("select number, title from nudged.occurrence") == ["2|a"])
    }

    /// Two attempts of one second are two rows of the record, at two instants.
    @Test func settle_whenTwoAttemptsAreOfOneSecond_keepsBoth() async throws {
        let (fixture, member, _) = try await F.claimed(1...1)
        for fraction in [1, 2] as [Int32] {
            let user = try #require(try await fixture.claim().first)
            let record = F.record(user, .deferred, status: nil, fraction: fraction)
            _ = try await fixture.store.settle(Settlement(member, [F.change(user, record, dueAt: F.now - 60)]))
        }
        #expect(try fixture.sql("select count(distinct attempted_at) from nudged.delivery") == "2")
    }

    @Test func settle_whenHistoriesDiffer_givesEachTheirOwn() async throws {
        let (fixture, member, users) = try await F.claimed()
        let days = (1...3).map { F.slot - $0 }
        let histories = [
            History(checkIns: days.map { CheckIn(at: F.now, slot: $0) }, closed: [days[0]], sent: []),
            History(),
            History(checkIns: [CheckIn(at: F.now, slot: days[2])], closed: Array(days[0...1]), sent: [F.now, F.now]),
        ]
        let changes = zip(users, histories).map { F.change($0, history: $1) }
        _ = try await fixture.store.settle(Settlement(member, changes.reversed()))
        #expect(try await fixture.claim().isEmpty)
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        let read = try await fixture.claim().sorted { $0.userID < $1.userID }.map(\.history)
        #expect(read == histories)
    }

    @Test func settle_whenAUserWasErased_recordsNothingOfThem() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        try fixture.sql("delete from nudged.person where user_id = \(F.quoted(1))")
        let result = try await fixture.store.settle(Settlement(member, users.map { F.change($0, F.record($0)) }))
        #expect(result.settled.count == 1)
        #expect(try fixture.lines("select user_id from nudged.delivery") == [F.user(2).uuidString.lowercased()])
    }

    // MARK: Who is refused

    /// One user's row is refused for its content: the others are settled, and their parts of the intent closed.
    @Test func settle_whenOneUserIsRefused_settlesTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...9)
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let changes = users.map { F.change($0, F.record($0), retry: $0.userID == F.user(4) ? "planted-secret" : nil) }
        let settlement = Settlement(member, changes, closed: [F.whole(intent)])
        let result = try await fixture.store.settle(settlement)
        #expect(result.settled.count == 8 && result.refused.map(\.userID) == [F.user(4)])
        let refusal = try #require(result.refused.first)
        #expect(!refusal.isHeld && refusal.error.hasPrefix("22P02") && !"\(refusal)".contains("planted"))
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "8")
        #expect(try fixture.sql("select open from nudged.intent") == "1")
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 1))
    }

    @Test func settle_whenOneRowIsHeld_settlesTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...200)
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let settlement = Settlement(member, users.map { F.change($0, F.record($0)) }, closed: [F.whole(intent)])
        try await fixture.holding("select from nudged.person where user_id = \(F.quoted(2)) for update") {
            () async throws -> Void in
            let result = try await fixture.store.settle(settlement)
            #expect(result.settled.count == 199 && result.refused.map(\.userID) == [F.user(2)], "\(result)")
            #expect(result.refused.first?.isHeld == true)
        }
        let rest = Settlement(
            member,
            users.filter { $0.userID == F.user(2) }.map { F.change($0) },
            closed: [F.part(intent, intent.changes.filter { $0.userID == F.user(2) }, isWhole: true)]
        )
        #expect(try await fixture.store.settle(rest).settled.count == 1)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }

    @Test func error_whenAStatementFails_holdsNoParameter() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        let refused = try await fixture.store.settle(
            Settlement(member, users.map { F.change($0, retry: "planted-secret") })
        ).refused
        #expect(refused.count == 1 && !String(reflecting: refused).contains("planted-secret"))
    }
}
