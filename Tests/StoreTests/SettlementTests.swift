import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Outcomes and decisions, as they are settled.
@Suite(.ownThreads) struct SettlementTests {
    typealias F = StoreFixture

    @Test func settle_whenTheIntentIsWhole_recordsAndClosesIt() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let result = try await fixture.store.settle(
            Settlement(
                member: member,
                sweepID: UUID(),
                updates: users.map { F.update($0) },
                records: users.map { F.record($0) },
                closed: [F.whole(intent)]
            )
        )
        #expect(result == .init(usersSettled: 3))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        #expect(
            try fixture.sql("select count(*) from nudged.delivery where outcome = 'accepted' and status = 200") == "3"
        )
        #expect(
            try fixture.sql(
                "select count(*) from nudged.person where due_at = '2026-11-20 13:00Z' and evaluated_at = '2026-11-20 12:00Z'"
            ) == "3"
        )
        await fixture.close()
    }

    /// One push is silent: the others' outcomes are recorded, and if the daemon dies only that one becomes unknown.
    @Test func settle_whenPartOfTheIntentIsAnswered_leavesTheRestOpen() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let answered = Array(users.prefix(2))
        let part = Settlement.ClosedPart(intent: intent.id, users: answered.map(\.userID), isWhole: false)
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: answered.map { F.update($0) },
            records: answered.map { F.record($0) },
            closed: [part]
        )
        for _ in 1...2 { #expect(try await fixture.store.settle(settlement).usersSettled == 2) }
        #expect(try fixture.lines("select outcome from nudged.delivery") == ["accepted", "accepted"])
        try fixture.die()
        // Who is settled is not held back by the orphan.
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        #expect(try await fixture.claim().map(\.userID) == answered.map(\.userID))
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 1))
        #expect(
            try fixture.lines("select right(user_id::text, 1), outcome from nudged.delivery order by 1")
                == ["1|accepted", "2|accepted", "3|unknown"]
        )
        #expect(
            try fixture.lines("select cardinality(sent) from nudged.person order by user_id") == ["0", "0", "1"]
        )
        await fixture.close()
    }

    /// A promoted standby has not got what was settled before: those users are not forgotten with the last one.
    @Test func settle_whenTheLastIsAnsweredAndOthersAreOpen_leavesTheOthersToRecovery() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let last = Settlement.ClosedPart(intent: intent.id, users: [users[2].userID], isWhole: true)
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: [F.update(users[2])],
            records: [F.record(users[2])],
            closed: [last]
        )
        for _ in 1...2 { _ = try await fixture.store.settle(settlement) }
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 2))
        #expect(
            try fixture.lines("select right(user_id::text, 1), outcome from nudged.delivery order by 1")
                == ["1|unknown", "2|unknown", "3|accepted"]
        )
        await fixture.close()
    }

    /// Its connection was given up, and it takes effect after the user was claimed and settled again.
    @Test func settle_whenItTakesEffectLate_changesNothing() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        func settlement(_ user: ClaimedUser, at now: Instant, _ sent: [Instant]) -> Settlement {
            var update = F.update(user, dueAt: now - 60, history: History(sent: sent))
            update.evaluatedAt = now
            update.stamp = .at(user.evaluatedAt)
            return Settlement(member: member, sweepID: UUID(), updates: [update])
        }
        let late = settlement(users[0], at: F.now, [])
        #expect(try await fixture.store.settle(late).usersSettled == 1)
        let again = try #require(try await fixture.claim().first)
        let newer = settlement(again, at: F.now + 60, [F.now + 60])
        #expect(try await fixture.store.settle(newer).usersSettled == 1)
        #expect(try await fixture.store.settle(late).usersSettled == 0)
        #expect(try fixture.sql("select cardinality(sent) from nudged.person") == "1")
        // A standby that has not got the one before takes this one all the same.
        try fixture.sql("update nudged.person set evaluated_at = evaluated_at - interval '1 hour', sent = '{}'")
        let third = settlement(again, at: F.now + 120, [F.now + 60])
        #expect(try await fixture.store.settle(third).usersSettled == 1)
        await fixture.close()
    }

    /// A declined nudge has no intent that would check its user. So the settlement does, in its own transaction.
    @Test(arguments: [false, true])
    func settle_whenAUserMustBeUnchangedAndIsNot_writesNothingOfThem(isDrained: Bool) async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        let intent = F.intent([users[0]], member: member)
        _ = try await fixture.store.commit(intent)
        // Something new to send changes nothing about what was decided.
        _ = try fixture.sql("select nudged_api.send(\(F.quoted(2)), 'a', 'b')")
        let message = try fixture.sql("select nudged_api.send(\(F.quoted(3)), 'a', 'b')")
        try fixture.sql(
            """
            update public.context_profiles
            set notification_preferences = notification_preferences || '{"smart_enabled": false}'
            where user_id = \(F.quoted(3))
            """
        )
        if isDrained { try await fixture.drain() }
        var updates = users.map { F.update($0) }
        for place in 1...2 { updates[place].isOnlyIfUnchanged = true }
        let result = try await fixture.store.settle(
            Settlement(
                member: member,
                sweepID: UUID(),
                updates: updates,
                records: users.map { F.record($0) },
                ended: [MessageReference(userID: F.user(3), id: try #require(UUID(uuidString: message)))],
                closed: [F.whole(intent)]
            )
        )
        #expect(result.changed == [F.user(3)] && result.usersSettled == 2 && result.refused.isEmpty)
        #expect(try fixture.lines("select right(user_id::text, 1) from nudged.delivery order by 1") == ["1", "2"])
        #expect(
            try fixture.lines("select evaluated_at is null from nudged.person order by user_id") == ["f", "f", "t"]
        )
        #expect(try fixture.sql("select count(*) from nudged.message where id = '\(message)'") == "1")
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        await fixture.close()
    }

    /// The change is committed while the settlement waits for a lock: a check before the transaction would miss it.
    @Test func settle_whenTheUserChangesMeanwhile_writesNothingOfThem() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        var update = F.update(users[0])
        update.isOnlyIfUnchanged = true
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: [update],
            records: [F.record(users[0])]
        )
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
        await holder.close()
        await fixture.close()
    }

    @Test func settle_whenTheVersionHasChanged_keepsTheUserDue() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        try await fixture.drain()
        _ = try await fixture.store.settle(
            Settlement(member: member, sweepID: UUID(), updates: users.map { F.update($0) })
        )
        #expect(
            try fixture.lines(
                "select due_at > '2026-11-20 12:00Z', touched_at is null from nudged.person order by user_id"
            )
                == ["f|f", "t|t"]
        )
        await fixture.close()
    }

    /// The answer was lost, so it is settled again.
    @Test func settle_whenItIsRepeated_recordsOnce() async throws {
        let (fixture, member, users) = try await F.claimed()
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: users.map { F.update($0) },
            records: users.map { F.record($0, .skipped, hash: "") }
        )
        for _ in 1...2 { #expect(try await fixture.store.settle(settlement).usersSettled == 3) }
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "3")
        await fixture.close()
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
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: [F.update(users[0])],
            ended: [MessageReference(userID: users[0].userID, id: id)],
            continued: [next]
        )
        for _ in 1...2 { _ = try await fixture.store.settle(settlement) }
        #expect(try fixture.lines("select number, title from nudged.occurrence") == ["2|a"])
        await fixture.close()
    }

    /// Two attempts of one second are two rows of the record.
    @Test func settle_whenTwoAttemptsAreOfOneSecond_keepsBoth() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        for fraction in [1, 2] as [Int32] {
            let record = DeliveryRecord(
                userID: users[0].userID,
                kind: "check_in",
                key: F.slot.iso,
                slot: F.slot,
                deviceHash: "aa",
                outcome: .deferred,
                attemptedAt: F.now,
                fraction: fraction
            )
            _ = try await fixture.store.settle(
                Settlement(member: member, sweepID: UUID(), updates: [F.update(users[0])], records: [record])
            )
        }
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "2")
        await fixture.close()
    }

    /// Histories travel as pieces of common lists: each user gets their own.
    @Test func settle_whenHistoriesDiffer_givesEachTheirOwn() async throws {
        let (fixture, member, users) = try await F.claimed()
        let days = (1...3).map { F.slot - $0 }
        let histories = [
            History(checkIns: days.map { CheckIn(at: F.now, slot: $0) }, closed: [days[0]], sent: []),
            History(),
            History(checkIns: [CheckIn(at: F.now, slot: days[2])], closed: Array(days[0...1]), sent: [F.now, F.now]),
        ]
        let updates = zip(users, histories).map { F.update($0, history: $1) }
        _ = try await fixture.store.settle(Settlement(member: member, sweepID: UUID(), updates: updates.reversed()))
        #expect(try await fixture.claim().isEmpty)
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        let read = try await fixture.claim().sorted { $0.userID < $1.userID }.map(\.history)
        #expect(read == histories)
        await fixture.close()
    }

    @Test func settle_whenAUserWasErased_recordsNothingOfThem() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        try fixture.sql("delete from nudged.person where user_id = \(F.quoted(1))")
        let result = try await fixture.store.settle(
            Settlement(
                member: member,
                sweepID: UUID(),
                updates: users.map { F.update($0) },
                records: users.map { F.record($0) }
            )
        )
        #expect(result.usersSettled == 1)
        #expect(try fixture.lines("select user_id from nudged.delivery") == [F.user(2).uuidString.lowercased()])
        await fixture.close()
    }

    // MARK: Who is refused

    /// One user's row is refused for its content: the others are settled, and their parts of the intent closed.
    @Test func settle_whenOneUserIsRefused_settlesTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...9)
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let updates = users.map { F.update($0, retry: $0.userID == F.user(4) ? "planted-secret" : nil) }
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: updates,
            records: users.map { F.record($0) },
            closed: [F.whole(intent)]
        )
        let result = try await fixture.store.settle(settlement)
        #expect(result.usersSettled == 8 && result.refused.map(\.userID) == [F.user(4)])
        let refusal = try #require(result.refused.first)
        #expect(!refusal.isHeld && refusal.error.hasPrefix("22P02") && !"\(refusal)".contains("planted"))
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "8")
        #expect(try fixture.sql("select cardinality(settled) from nudged.intent") == "8")
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 1))
        await fixture.close()
    }

    @Test func settle_whenOneRowIsHeld_settlesTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...200)
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            updates: users.map { F.update($0) },
            records: users.map { F.record($0) },
            closed: [F.whole(intent)]
        )
        try await fixture.holding("select from nudged.person where user_id = \(F.quoted(2)) for update") {
            () async throws -> Void in
            let result = try await fixture.store.settle(settlement)
            #expect(result.usersSettled == 199 && result.refused.map(\.userID) == [F.user(2)], "\(result)")
            #expect(result.refused.first?.isHeld == true)
        }
        let rest = Settlement(
            member: member,
            sweepID: UUID(),
            updates: users.filter { $0.userID == F.user(2) }.map { F.update($0) },
            closed: [F.whole(intent)]
        )
        #expect(try await fixture.store.settle(rest).usersSettled == 1)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        await fixture.close()
    }

    @Test func error_whenAStatementFails_holdsNoParameter() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        let refused = try await fixture.store.settle(
            Settlement(member: member, sweepID: UUID(), updates: users.map { F.update($0, retry: "planted-secret") })
        ).refused
        #expect(refused.count == 1 && !String(reflecting: refused).contains("planted-secret"))
        await fixture.close()
    }
}
