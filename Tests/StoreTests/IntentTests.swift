import Postgres
import Synchronization
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Intents: committed, refused, withdrawn.
@Suite(.ownThreads) struct IntentTests {
    @Test func commit_whenNothingChanged_holdsAndLeavesTheRowsAlone() async throws {
        let (fixture, member, users) = try await F.claimed()
        let rows = "select * from nudged.person order by user_id"
        let before = try fixture.sql(rows)
        let intent = F.intent(users, member: member, retry: #"{"x":1}"#)
        let committed = try await fixture.store.commit(intent)
        #expect(committed == ([], [], []))
        #expect(try fixture.sql(rows) == before)
        try fixture.expect(
            """
            select cardinality(user_ids), turns = array(select turn from nudged.person order by user_id), cardinality(contents), message_ids, open,
                id = '\(intent.id)' from nudged.intent
            """,
            "3|t|3|{}|3|t"
        )
    }

    /// The connection was lost at the commit, and the commit comes after the withdrawal: it must find its place taken.
    @Test func withdrawal_whenTheCommitComesLater_leavesNoIntent() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        let withdrawal = Settlement(member: member, sweepID: UUID(), withdrawn: [intent.id])
        for _ in 1...2 { _ = try await fixture.store.settle(withdrawal) }
        let error = await #expect(throws: PostgresError.self) { try await fixture.store.commit(intent) }
        #expect(error?.sqlState == "23505" && error?.isFenced == false)
        #expect(try fixture.sql("select sum(cardinality(user_ids)) from nudged.intent") == "0")
        // An empty row keeps nobody from leaving, and says nothing in the record.
        #expect(try await fixture.store.leave(member))
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init())
        #expect(try fixture.sql("select count(*) from nudged.intent") == "1")
        try fixture.sql("update nudged.intent set withdrawn_until = now() - interval '1 second'")
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init())
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }

    /// The commit had come before: the withdrawal takes it back.
    @Test func withdrawal_whenTheCommitCameBefore_takesItBack() async throws {
        let (fixture, member, users) = try await F.claimed()
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        _ = try await fixture.store.settle(Settlement(member: member, sweepID: UUID(), withdrawn: [intent.id]))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }

    /// The intent's commit is under way on the server while its connection is lost here: the withdrawal waits for it, and takes it back.
    @Test func withdrawal_whenTheIntentIsStillBeingCommitted_takesItBack() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        let intent = F.intent(users, member: member)
        let slow = try await fixture.connection()
        let settlement = Settlement(member, users.map { F.change($0) }, withdrawn: [intent.id])
        let withdrawal = try await slow.transaction(timeout: .seconds(60)) { transaction in
            _ = try await transaction.run(Query.intent(intent.parameters))
            let withdrawal = Task { try await fixture.store.settle(settlement) }
            try await fixture.untilSomebodyWaits()
            return withdrawal
        }
        // It waits for some seconds, and is tried again if that was too short.
        var settled = try? await withdrawal.value
        if settled == nil { settled = try await fixture.store.settle(settlement) }
        #expect(settled?.settled == [F.user(1)])
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }

    /// The daemon withdraws them: a touch came before the intent's commit, or after it.
    @Test func commit_whenSomethingChanged_saysOfWhom() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        try fixture.sql("update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = \(F.quoted(2))")
        let committed = try await fixture.store.commit(F.intent(users, member: member))
        #expect(committed == ([F.user(2)], [], []))
    }

    /// A drain takes a user's touch while the daemon has the user in hand: it tells of the change before.
    @Test func drain_whenSomethingChanged_saysOfWhomBeforeTheTouchIsGone() async throws {
        let (fixture, member, users) = try await F.claimed()
        try fixture.sql(
            """
            update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = \(F.quoted(2));
            select (nudged_api.send(\(F.quoted(3)), 'a', 'b')).id
            """
        )
        func touched() async throws -> [Bool] {
            var all: [Bool] = []
            for user in users { all.append(try await fixture.store.isTouched(user.userID)) }
            return all
        }
        #expect(try await touched() == [false, true, false])
        let told = Mutex<[[UUID]]>([])
        _ = try await fixture.store.drain(
            member: member,
            ranges: F.ranges,
            limit: 1000,
            now: F.now,
            onChanged: { users in
                let waiting = try? fixture.sql("select count(*) from nudged.touched")
                told.withLock { $0.append(waiting == "2" ? users : []) }
            }
        )
        // What came to be sent is no change.
        #expect(told.withLock { $0 } == [[F.user(2)]])
        #expect(try await touched() == [false, false, false])
    }

    /// Somebody who is sent something several times a second gets it, and not when that ends.
    @Test(arguments: [false, true]) func commit_whenSomethingCameToBeSent_goesOn(isDrained: Bool) async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        _ = try fixture.sql("select (nudged_api.send(\(F.quoted(1)), 'a', 'b')).id")
        if isDrained { try await fixture.drain() }
        let intent = F.intent(users, member: member)
        #expect(try await fixture.store.commit(intent) == ([], [], []))
        // What came is not forgotten: its user is due when these are settled, though the decision knew of nothing before tomorrow.
        let later = users.map { F.change($0, dueAt: F.now + 86_400) }
        _ = try await fixture.store.settle(
            Settlement(member: member, sweepID: intent.sweepID, changes: later, closed: [F.whole(intent)])
        )
        if !isDrained { try await fixture.drain() }
        #expect(try await fixture.claim().map(\.userID) == [F.user(1)])
    }
}
