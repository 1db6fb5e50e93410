import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Messages between the intent of their push and a call that cancels them.
@Suite(.ownThreads) struct MessageIntentTests {
    @Test func commit_whenAMessageWasCancelled_leavesItOut() async throws {
        let fixture = try await F.withUsers(1...2)
        let id = try fixture.sendMessage(1)
        _ = try fixture.sendMessage(2)
        try await fixture.drain()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        #expect(try fixture.sql("select done from nudged_api.cancel(\(F.quoted(1)), '\(id)')") == "1")
        // Not by its touch: by the row itself.
        try fixture.sql("truncate nudged.touched")
        let answer = try await fixture.store.commit(F.messageIntent(users, member: member))
        #expect(answer.touched.isEmpty)
        #expect(answer.cancelled == [MessageReference(userID: F.user(1), id: id)])
    }

    /// The cancellation is not committed yet, and may be rolled back: the push is not written, and nobody waits.
    @Test func commit_whenAMessageIsBeingCancelled_doesNotWrite() async throws {
        let fixture = try await F.withUsers(1...1)
        let id = try fixture.sendMessage(1)
        _ = try fixture.sendMessage(1)
        try await fixture.drain()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let intent = F.messageIntent(users, member: member)
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            let cancelled = try await transaction.run(
                Statement("cancel", sql: "select done = 1 from nudged_api.cancel(\(F.quoted(1)), '\(id)')")
            )
            #expect(try cancelled.bool(0, 0))
            let answer = try await fixture.store.commit(intent)
            // And nothing else of theirs is held up by it.
            #expect(answer.cancelled == [MessageReference(userID: F.user(1), id: id)])
            #expect(answer.touched.isEmpty)
        }
    }

    /// The other way round: the intent was first, so it was too late; and the row is left to the outcome, whatever the app's transaction does.
    @Test func cancel_whenTheIntentWasFirst_isTooLateAndHoldsNothing() async throws {
        let fixture = try await F.withUsers(1...1)
        let id = try fixture.sendMessage(1)
        try await fixture.drain()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let intent = F.messageIntent(users, member: member)
        #expect(try await fixture.store.commit(intent).touched.isEmpty)
        let settlement = Settlement(
            member: member,
            sweepID: intent.sweepID,
            changes: users.map { F.change($0, ended: [id]) }
        )
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            let cancelled = try await transaction.run(
                Statement("cancel", sql: "select done = 1 from nudged_api.cancel(\(F.quoted(1)), '\(id)')")
            )
            #expect(try !cancelled.bool(0, 0))
            let settled = try await fixture.store.settle(settlement)
            #expect(settled.settled.count == 1)
        }
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
    }

    /// While the intent's transaction holds the row, a cancellation does not wait for it.
    @Test(arguments: [Query.holdMessages, .holdMessagesDistributed])
    func cancel_whileTheIntentIsBeingCommitted_doesNotWait(query: Query) async throws {
        let fixture = try await F.withUsers(1...1)
        let id = try fixture.sendMessage(1)
        let daemon = try await fixture.connection()
        try await daemon.transaction { transaction in
            let held = try await transaction.run(
                Statement("hold", sql: query.sql, parameters: [.uuidArray([F.user(1)]), .uuidArray([id])])
            )
            #expect(held.count == 1)
            try fixture.expect(
                "set lock_timeout = '5s'; select done from nudged_api.cancel(\(F.quoted(1)), '\(id)')",
                "0"
            )
        }
    }

    /// A row of more than one machine can't be locked by a question: an update that changes nothing holds it as well.
    @Test func commit_whenTheDatabaseRefusesRowLocks_holdsByUpdating() async throws {
        let fixture = try await F.withUsers(1...1)
        _ = try fixture.sendMessage(1)
        try await fixture.drain()
        fixture.store.claiming.noteDistribution()
        let member = try await fixture.member()
        let users = try await fixture.claim()
        let answer = try await fixture.store.commit(F.messageIntent(users, member: member))
        #expect(answer == ([], [], []))
    }
}
