import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// What becomes of messages by an outcome, a dead daemon, a restored backup.
@Suite(.ownThreads) struct MessageOutcomeTests {
    /// Two messages of one turn: both count, each is unknown, and they stay for their repeats; those of a second unknown end.
    @Test(arguments: [false, true]) func recover_whenADaemonDied_keepsMessagesForTheirRepeat(ends: Bool) async throws {
        let fixture = try await F.withUsers(1...1)
        _ = try fixture.sendMessage(1)
        _ = try fixture.sendMessage(1)
        try await fixture.drain()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        _ = try await fixture.store.commit(
            F.messageIntent(users, member: member, ends: ends, retry: ends ? nil : #"[{"x":1}]"#)
        )
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 2))
        #expect(try fixture.sql("select count(*) from nudged.message") == (ends ? "0" : "2"))
        #expect(try fixture.sql("select retry from nudged.person") == (ends ? "" : #"[{"x": 1}]"#))
        #expect(try fixture.states().map { $0?.history } == [History(sent: [F.now])])
        try fixture.expect("select count(*) from nudged.delivery where outcome = 'unknown' and kind = 'message'", "2")
    }

    /// Slots that went by before the pushes of a dead daemon: nobody finds them again once those count.
    @Test func recover_whenTheIntentHasRecords_recordsThem() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        let changes = users.map { user in
            let skipped = F.skipped(user, "stale", slot: F.slot - 2, at: F.now - 86_400)
            return F.announced(user, [F.record(user, .unknown, status: nil), skipped])
        }
        _ = try await fixture.store.commit(F.intent(member, changes))
        try fixture.sql("select (nudged_api.forget(\(F.quoted(2)))).done")
        try fixture.die()
        _ = try await fixture.store.recoverOrphans(limit: 9)
        try fixture.expect(
            "select user_id = \(F.quoted(1)), key, slot, outcome, reason, attempted_at = '2026-11-19 12:00Z' from nudged.delivery order by key",
            ["t|2026-11-18|2026-11-18|skipped|stale|t", "t|2026-11-20|2026-11-20|unknown|daemon_lost|f"]
        )
    }

    /// A message that a decision dropped beside the pushes of a dead daemon is in the record as dropped, so it goes.
    @Test func recover_whenAMessageWasDropped_deletesIt() async throws {
        let fixture = try await F.withUsers(1...1)
        let (old, new) = (try fixture.sendMessage(1, "old"), try fixture.sendMessage(1, "new"))
        try await fixture.drain()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let dropped = F.messageRecord(users[0], old, .dropped, reason: "collapsed", apnsID: nil)
        let change = F.announced(users[0], [dropped, F.messageRecord(users[0], new)], ended: [old])
        _ = try await fixture.store.commit(F.intent(member, [change]))
        try fixture.die()
        _ = try await fixture.store.recoverOrphans(limit: 9)
        try fixture.expect(
            "select outcome, reason, status from nudged.delivery order by 1",
            ["dropped|collapsed|", "unknown|daemon_lost|"]
        )
        #expect(try fixture.sql("select id from nudged.message") == new.uuidString.lowercased())
    }

    /// `nudged after-restore`: what waited may have been sent since the backup.
    @Test func restore_whenMessagesWait_dropsThem() async throws {
        let fixture = try await F.withUsers(1...1)
        _ = try fixture.sendMessage(1)
        _ = try fixture.sendMessage(2)
        let now = try #require(Instant(rfc3339: "2099-01-01T00:00:00Z"))
        while try await fixture.store.restoreTouches(before: now, limit: 10) {}
        #expect(
            try await fixture.store.restoreUsers(
                from: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                now: now,
                limit: 10
            ).users == 2
        )
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        try fixture.expect(
            "select outcome, reason, count(*) from nudged.delivery group by 1, 2",
            ["dropped|restored|2"]
        )
    }

    /// The app holds a message that a decision ended: its user waits for the member's end, the others are settled.
    @Test func settlement_whenAMessageIsHeld_isRefusedSoon() async throws {
        let fixture = try await F.withUsers(1...1)
        let id = try fixture.sendMessage(1)
        try await fixture.drain()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let settlement = Settlement(member, users.map { F.change($0, ended: [id]) })
        let app = try await fixture.connection()
        let hold = Statement("hold", sql: "select 1 from nudged.message for update")
        try await app.transaction(timeout: .seconds(60)) { transaction in
            _ = try await transaction.run(hold)
            let refused = try await fixture.store.settle(settlement).refused
            #expect(refused.map(\.userID) == [F.user(1)] && refused.allSatisfy(\.isHeld))
        }
        #expect(try await fixture.store.settle(settlement).settled.count == 1)
    }
}
