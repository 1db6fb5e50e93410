import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Store

/// What a dead daemon's intents become.
@Suite(.ownThreads) struct RecoverTests {
    typealias F = StoreFixture

    /// What the intent would have made of the histories, had we lived, its finder makes of them.
    @Test(arguments: [false, true])
    func recover_whenADaemonDied_entersTheNudges(isCounted: Bool) async throws {
        let (fixture, lease, users) = try await F.leased()
        try fixture.sql("update nudged.person set check_in_at = '{2026-11-18 12:00Z}', check_in_slot = '{2026-11-18}'")
        let intent = F.intent(users, lease: lease, retry: #"{"x":1}"#, isCounted: isCounted)
        _ = try await fixture.store.commit(intent, leaseMilliseconds: 60_000)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 3))
        let history =
            isCounted
            ? "{2026-11-18}|{}|1"
            : "{2026-11-20,2026-11-18}|{\"2026-11-20 12:00:00+00\"}|1"
        #expect(
            try fixture.lines(
                "select distinct check_in_slot, sent, retry->>'x' from nudged.person where lease_id is null and cardinality(check_in_at) = cardinality(check_in_slot)"
            ) == [history]
        )
        await fixture.close()
    }

    /// The intent of a daemon of before migration 9: it had entered the nudge itself.
    @Test func recover_whenTheIntentIsAnOlderDaemons_leavesTheHistories() async throws {
        let (fixture, lease, users) = try await F.leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        try fixture.sql(
            """
            update nudged.person set check_in_slot = '{2026-11-20}', check_in_at = '{2026-11-20 12:00Z}', retry = '{"x": 2}';
            update nudged.intent set expires_at = now() - interval '1 second', retries = null, counted = null
            """
        )
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 3))
        #expect(
            try fixture.lines("select distinct check_in_slot, retry->>'x', lease_id is null from nudged.person")
                == ["{2026-11-20}|2|t"]
        )
        await fixture.close()
    }

    /// The commit came after the lease's end, and another daemon has the row by now: what it decided stands.
    @Test func recover_whenTheRowIsAnothers_leavesItsHistory() async throws {
        let (fixture, lease, users) = try await F.leased(1...1)
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        try fixture.sql(
            """
            update nudged.person set lease_id = null, lease_until = null, check_in_slot = '{2026-11-20}', check_in_at = '{2026-11-20 11:00Z}', retry = '{"x": 3}';
            update nudged.intent set expires_at = now() - interval '1 second'
            """
        )
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 1))
        #expect(try fixture.sql("select check_in_slot, retry->>'x' from nudged.person") == "{2026-11-20}|3")
        await fixture.close()
    }

    @Test func recover_whenLeasesLive_leavesTheirIntents() async throws {
        let (fixture, lease, users) = try await F.leased()
        _ = try await fixture.store.commit(F.intent([users[0]], lease: lease, number: 1), leaseMilliseconds: 60_000)
        _ = try await fixture.store.commit(F.intent([users[1]], lease: lease, number: 2), leaseMilliseconds: 60_000)
        let none = try await fixture.store.recover(except: [], limit: 10)
        #expect(none.chunks == 0)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second' where number = 2")
        let ours = try await fixture.store.recover(except: [lease], limit: 10)
        #expect(ours.chunks == 0)
        let dead = try await fixture.store.recover(except: [UUID()], limit: 10)
        #expect(dead.chunks == 1 && dead.pushes == 1)
        #expect(
            try fixture.lines("select user_id, outcome from nudged.delivery") == [
                "\(F.user(2).uuidString.lowercased())|unknown"
            ]
        )
        await fixture.close()
    }

    /// Leases went on while the database was away: who lives has outcomes to record, and is given the time to.
    @Test func recover_whenTheDatabaseWasAway_waitsForThoseWhoLive() async throws {
        let (fixture, lease, users) = try await F.leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        try fixture.sql(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
        var store = fixture.store
        store.findingBack = .seconds(600)
        await #expect(throws: PostgresError.self) { try await fixture.store.recover(except: [], limit: 9) }
        #expect(try await store.recover(except: [], limit: 9) == (0, 0))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "1")
        store.findingBack = .zero
        #expect(try await store.recover(except: [], limit: 9) == (1, 3))
        await fixture.close()
    }
}
