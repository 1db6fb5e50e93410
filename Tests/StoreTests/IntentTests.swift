import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// Intents: committed, refused, withdrawn.
@Suite(.ownThreads) struct IntentTests {
    typealias F = StoreFixture

    @Test func commit_whenNothingChanged_holdsAndLeavesTheRowsAlone() async throws {
        let (fixture, lease, users) = try await F.leased()
        let rows = "select * from nudged.person order by user_id"
        let before = try fixture.sql(rows)
        let (kept, changed, _) = try await fixture.store.commit(
            F.intent(users, lease: lease, retry: #"{"x":1}"#),
            leaseMilliseconds: 60_000
        )
        #expect(kept == Set(users.map(\.userID)) && changed.isEmpty)
        #expect(try fixture.sql(rows) == before)
        #expect(
            try fixture.sql(
                "select cardinality(user_ids), cardinality(apns_ids), number, retries[3], counted from nudged.intent"
            ) == #"3|3|1|{"x":1}|{f,f,f}"#
        )
        await fixture.close()
    }

    /// The database's clock went past the lease's end while the intent was being committed, and another daemon has claimed.
    @Test func commit_whenTheLeaseIsAnothersByNow_countsAsChanged() async throws {
        let (fixture, lease, users) = try await F.leased(1...2)
        let looks = Store.looks(at: .uuidArray(users.map(\.userID)))
        try fixture.sql("update nudged.person set lease_id = gen_random_uuid() where user_id = \(F.quoted(2))")
        let rows = try await fixture.store.transaction(fixture.store.intents, looks)
        let decided = users.map { (user: $0.userID, version: $0.version) }
        let found = try fixture.store.changed(decided, leaseID: lease, rows[0], rows[1])
        #expect(found == [F.user(2)])
        await fixture.close()
    }

    /// The connection was lost at the commit, and the commit comes after the withdrawal: it must find its place taken.
    @Test func withdrawal_whenTheCommitComesLater_leavesNoIntent() async throws {
        let (fixture, lease, users) = try await F.leased()
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .withdrawn(chunk: 1),
                updates: users.map { F.update($0) }
            )
        )
        #expect(result.usersSettled == 3)
        // As the late statement would find it, whose snapshot is older.
        try fixture.sql("update nudged.person set lease_id = '\(lease)', lease_until = now() + interval '1 minute'")
        await #expect(throws: PostgresError.self) {
            try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        }
        #expect(try fixture.sql("select sum(cardinality(user_ids)) from nudged.intent") == "0")
        // Its place is given back like an intent's, and says nothing in the record.
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 0))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        await fixture.close()
    }

    @Test func commit_whenSomethingChanged_leavesThatUserOut() async throws {
        let (fixture, lease, users) = try await F.leased(1...5)
        try fixture.sql(
            """
            update nudged.person set version = version + 4294967296 where user_id = \(F.quoted(1));
            update nudged.person set lease_id = gen_random_uuid() where user_id = \(F.quoted(2));
            update nudged.person set lease_until = now() - interval '1 second' where user_id = \(F.quoted(3));
            update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = \(F.quoted(4));
            """
        )
        let (kept, _, _) = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        #expect(kept == [F.user(5)])
        #expect(
            try fixture.lines("select user_ids[1] from nudged.intent where cardinality(user_ids) = 1") == [
                F.user(5).uuidString.lowercased()
            ]
        )
        await fixture.close()
    }

    @Test func commit_whenAllChanged_leavesNoIntent() async throws {
        let (fixture, lease, users) = try await F.leased()
        try fixture.sql("update nudged.person set version = version + 4294967296")
        let (kept, _, _) = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        #expect(kept.isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        await fixture.close()
    }

    /// Another daemon drains the touch between our commit and our question: the version says so.
    @Test func touchedSince_whenTheTouchWasDrainedMeanwhile_findsTheVersion() async throws {
        let (fixture, lease, users) = try await F.leased()
        try fixture.sql("update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = \(F.quoted(2))")
        func changed() async throws -> Set<UUID> {
            let looks = Store.looks(at: .uuidArray(users.map(\.userID)))
            let rows = try await fixture.store.transaction(fixture.store.intents, looks)
            return try fixture.store.changed(users.map { ($0.userID, $0.version) }, leaseID: lease, rows[0], rows[1])
        }
        #expect(try await changed() == [F.user(2)])
        _ = try await fixture.store.drain(limit: 100, now: F.now)
        #expect(try await changed() == [F.user(2)])
        await fixture.close()
    }

    /// Somebody who is sent something several times a second gets it, and not when that ends.
    @Test(arguments: [false, true])
    func commit_whenSomethingCameToBeSent_goesOn(isDrained: Bool) async throws {
        let (fixture, lease, users) = try await F.leased(1...2)
        _ = try fixture.sql("select nudged.send(\(F.quoted(1)), 'a', 'b')")
        if isDrained { _ = try await fixture.store.drain(limit: 100, now: F.now) }
        let intent = F.intent(users, lease: lease)
        let (kept, changed, _) = try await fixture.store.commit(intent, leaseMilliseconds: 60_000)
        #expect(kept == [F.user(1), F.user(2)] && changed.isEmpty)
        // What came is not forgotten: its user is due when these are settled, though the decision knew of nothing before tomorrow.
        let later = users.map { F.update($0, dueAt: Instant(seconds: F.now.seconds + 86_400)) }
        var settlement = Settlement(leaseID: lease, sweepID: intent.sweepID, fence: .openIntent(chunk: 1))
        settlement.updates = later
        _ = try await fixture.store.settle(settlement)
        if !isDrained { _ = try await fixture.store.drain(limit: 100, now: F.now) }
        #expect(try await fixture.claim().map(\.userID) == [F.user(1)])
        await fixture.close()
    }
}
