import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Pauses and everyone due, on a real PostgreSQL.
@Suite(.ownThreads) struct PausingTests {
    @Test func commit_whenAKindIsPausedMeanwhile_saysSo() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        _ = try await fixture.store.pause([.message, .reminder], byWhom: "ada@web-1", reason: nil)
        let other = try await fixture.store.commit(F.intent([users[0]], member: member))
        #expect(other.touched.isEmpty && other.paused == [.message, .reminder])
        _ = try await fixture.store.pause([.checkIn], byWhom: "ada@web-1", reason: nil)
        let held = try await fixture.store.commit(F.intent([users[1]], member: member))
        #expect(held.touched.isEmpty && held.paused == [.message, .reminder, .checkIn])
        _ = try await fixture.store.resume([.checkIn])
        let again = try await fixture.store.commit(F.intent([users[2]], member: member))
        #expect(again.touched.isEmpty && again.paused == [.message, .reminder])
    }

    @Test func look_whenKindsArePausedAndResumed() async throws {
        let fixture = try await F()
        let store = fixture.store
        #expect(try await store.look().paused == [])
        #expect(
            try await store.pause([.checkIn, .message], byWhom: "ada@web-1", reason: "spam") == [.checkIn, .message]
        )
        let first = try await store.pauses()
        #expect(first.map(\.byWhom) == ["ada@web-1", "ada@web-1"] && first.map(\.reason) == ["spam", "spam"])
        // A second pause changes nothing of the first.
        #expect(try await store.pause(NudgeKind.allCases, byWhom: "bob@web-2", reason: nil) == [.reminder])
        #expect(try await store.pauses().filter { $0.kind != .reminder } == first)
        #expect(try await store.look().paused == Set(NudgeKind.allCases))
        #expect(try await store.resume([.checkIn]).map(\.kind) == [.checkIn])
        #expect(try await store.look().paused == [.message, .reminder])
        #expect(try fixture.sql("select count(*) from nudged.paused where resumed_at is not null") == "1")
        // Only what was resumed goes.
        try await store.endResume(NudgeKind.allCases)
        #expect(try await store.pauses().map(\.kind) == [.message, .reminder])
        #expect(try await store.resume([.checkIn]) == [])
        // What another version knows is none of ours.
        try fixture.sql("alter table nudged.paused drop constraint paused_kind_check")
        try fixture.sql("insert into nudged.paused (kind, by_whom) values ('horoscope', 'x')")
        #expect(try await store.look().paused == [.message, .reminder])
        #expect(try await store.pauses().count == 2)
    }

    /// A sweep asks for touches, fan-outs and intents without an owner only if this says that they are there.
    @Test func look_tellsWhatWaits() async throws {
        let fixture = try await F.withUsers()
        try fixture.forgetTouches()
        func waiting(at now: Instant? = nil) async throws -> String {
            let look = try await fixture.store.look(now: now)
            return [
                look.isFanOutDue ? "fan-out" : nil, look.isAnyoneTouched ? "touch" : nil,
                look.isAnyIntentLost ? "intent" : nil,
            ].compactMap(\.self).joined(separator: " ")
        }
        #expect(try await waiting() == "")
        for isUrgent in [false, true] {
            try fixture.sql("insert into nudged.touched (user_id, urgent) values (\(F.quoted(1)), \(isUrgent))")
            #expect(try await waiting() == "touch", "urgent: \(isUrgent)")
            try fixture.forgetTouches()
        }
        let member = try await fixture.member()
        _ = try await fixture.store.commit(F.intent(member, []))
        #expect(try await waiting() == "")
        try fixture.die()
        #expect(try await waiting() == "intent")
        try fixture.sql("delete from nudged.intent")
        let withdrawal = Settlement(member: try await fixture.member(), sweepID: UUID(), withdrawn: [UUID()])
        _ = try await fixture.store.settle(withdrawal)
        #expect(try await waiting() == "")
        try fixture.sql("update nudged.intent set withdrawn_until = now() - interval '1 s'")
        #expect(try await waiting() == "intent")
        try fixture.sql("delete from nudged.intent")
        _ = try fixture.setReminder("due_at => now() + interval '1 hour', audience => 'everyone'")
        try fixture.forgetTouches()
        #expect(try await waiting() == "")
        let now = Instant(seconds: try await fixture.store.clock() / 1_000_000)
        #expect(try await waiting(at: now + 3_601) == "fan-out")
    }

    @Test func pause_whenAResumeIsUnfinished_remembersWhoIsHeld() async throws {
        let fixture = try await F()
        let store = fixture.store
        _ = try await store.pause([.checkIn], byWhom: "ada@web-1", reason: nil)
        try fixture.sql(
            "update nudged.paused set since = since - interval '1 h', held_since = held_since - interval '1 h'"
        )
        let first = try #require(try await store.resume([.checkIn]).first)
        let repeated = try #require(try await store.resume([.checkIn]).first)
        #expect(repeated == first && first.resumedAt != nil)
        #expect(try await store.pause([.checkIn], byWhom: "bob@web-2", reason: nil) == [.checkIn])
        let again = try #require(try await store.pauses().first)
        #expect(again.heldSince == first.heldSince && again.since > first.since && again.resumedAt == nil)
        // The end of an older resume does not end the new pause.
        try await store.endResume([.checkIn])
        #expect(try await store.look().paused == [.checkIn])
    }

    /// Due dates in minutes from now, of users 1 to 5.
    private func dueMinutes(_ fixture: F) throws -> [String] {
        try fixture.lines(
            "select round(extract(epoch from due_at - '\(F.now.rfc3339)') / 60) || ' ' || (version >> 32) + 1 from nudged.person order by user_id"
        )
    }

    private func seedResting(_ fixture: F) throws {
        try fixture.seed(1...5)
        try fixture.sql(
            """
            update nudged.person set evaluated_at = '\(F.now.rfc3339)'::timestamptz - interval '1 h', due_at = '\(F.now.rfc3339)'::timestamptz + interval '1 h';
            update nudged.person set evaluated_at = evaluated_at - interval '1 day' where user_id = \(F.quoted(2));
            update nudged.person set evaluated_at = null where user_id = \(F.quoted(3));
            update nudged.person set evaluated_at = null, due_at = '\(F.now.rfc3339)' where user_id = \(F.quoted(4));
            update nudged.person set due_at = '\(F.now.rfc3339)'::timestamptz - interval '1 h' where user_id = \(F.quoted(5));
            """
        )
    }

    @Test func wakeUsers_whenEveryoneIsMeant_wakesPageByPage() async throws {
        let fixture = try await F()
        try seedResting(fixture)
        let first = try await fixture.store.wakeUsers(from: Store.firstUser, now: F.now, evaluated: nil, limit: 3)
        #expect(first.woken == 3 && first.users == 3 && first.next == F.user(4))
        let next = try #require(first.next)
        let second = try await fixture.store.wakeUsers(from: next, now: F.now, evaluated: nil, limit: 3)
        // The fourth and the fifth are due already; their version rises, since they may be in a daemon's hands.
        #expect(second.woken == 0 && second.users == 2 && second.next == nil)
        #expect(try dueMinutes(fixture) == ["0 2", "0 2", "0 2", "0 2", "-60 2"])
    }

    @Test func wakeUsers_whenThoseOfAPauseAreMeant_leavesTheOthers() async throws {
        let fixture = try await F()
        try seedResting(fixture)
        let evaluated = F.now - 7200...F.now
        let page = try await fixture.store.wakeUsers(
            from: Store.firstUser,
            now: F.now,
            evaluated: evaluated,
            limit: 100
        )
        // The first was asked then; the fourth and the fifth may be in a daemon's hands.
        #expect(page.woken == 1 && page.users == 5 && page.next == nil)
        #expect(try dueMinutes(fixture) == ["0 2", "60 1", "60 1", "0 2", "-60 2"])
    }

    /// A decision that was under way while its user was made due.
    @Test func settle_whenTheUserWasMadeDueMeanwhile_leavesThemDue() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        _ = try await fixture.store.wakeUsers(from: Store.firstUser, now: F.now, evaluated: nil, limit: 100)
        let refused = try await fixture.store.commit(F.intent(users, member: member))
        #expect(refused.touched == [F.user(1)])
        var settlement = Settlement(member: member, sweepID: UUID())
        settlement.changes = users.map { F.change($0, dueAt: F.now + 86_400) }
        _ = try await fixture.store.settle(settlement)
        #expect(try fixture.sql("select due_at <= '\(F.now.rfc3339)' from nudged.person") == "t")
    }

    @Test func pausedUsers_countsWhoWaitsForEachKind() async throws {
        let fixture = try await F.withUsers(1...4)
        try fixture.sql("update nudged.person set reason = 'paused' where user_id <> \(F.quoted(4))")
        _ = try fixture.sendMessage(1)
        _ = try fixture.sendMessage(1)
        _ = try fixture.sendMessage(2)
        let all = try await fixture.store.pausedUsers(NudgeKind.allCases)
        #expect(all == [.checkIn: 3, .message: 2, .reminder: 0])
        #expect(try await fixture.store.pausedUsers([.message]) == [.message: 2])
    }

    @Test func countUsers_whenThereAreSeveralPages() async throws {
        let fixture = try await F()
        #expect(try await fixture.store.countUsers(from: Store.firstUser, limit: 2) == (0, nil))
        try fixture.seed(1...5)
        let first = try await fixture.store.countUsers(from: Store.firstUser, limit: 3)
        #expect(first.users == 3 && first.next == F.user(4))
        let second = try await fixture.store.countUsers(from: F.user(4), limit: 3)
        #expect(second.users == 2 && second.next == nil)
    }

    /// A large table: no page reads or sorts all of it.
    @Test func pages_whenTheTableIsLarge_goByThePrimaryKey() async throws {
        let fixture = try await F.withUsers(1...20_000)
        let connection = try await fixture.connection()
        let (now, user) = (Parameter.timestamp(F.now.seconds * 1_000_000), Parameter.uuid(F.user(0)))
        for (query, parameters) in [
            (Query.countUsers, [user, .int8(1000)]),
            (.wakeUsers, [now, user, .int8(1000), .null(.timestamptz), .null(.timestamptz)]),
        ] {
            let rows = try await connection.transaction(
                [Statement("explain", sql: "explain " + query.sql, parameters: parameters)],
                settings: Store.pinnedPlans
            )
            var plan: [String] = []
            for row in 0..<rows[0].count { plan.append(try rows[0].text(row, 0)) }
            let text = plan.joined(separator: "\n")
            #expect(text.contains("using person_pkey on person") && !text.contains("Seq Scan on person"), "\(text)")
            #expect(text.contains("Limit"), "\(text)")
        }
    }
}
