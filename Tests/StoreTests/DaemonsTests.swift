import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// The rows that `nudged status` reads.
@Suite(.ownThreads) struct DaemonsTests {
    @Test func heartbeat_whenItComesAgain_keepsTheStartAndRenewsTheRest() async throws {
        let fixture = try await F()
        let id = UUID()
        try await fixture.store.heartbeat(F.beat(id, state: #"{"in_flight": 1}"#))
        // As if it had been long ago.
        try fixture.sql(
            "update nudged.daemon set seen_at = now() - interval '1 hour', started_at = now() - interval '2 hours'"
        )
        let before = try #require(try await fixture.store.workStatus().daemons.first)
        #expect(before.unseenMilliseconds >= 3_600_000)
        try await fixture.store.heartbeat(F.beat(id, state: #"{"in_flight": 2}"#, uptime: 1))
        let after = try await fixture.store.workStatus().daemons
        #expect(after.count == 1)
        #expect(after.first?.startedAt == before.startedAt)
        #expect(after.first?.state == #"{"in_flight": 2}"#)
        #expect(after.first.map { $0.unseenMilliseconds < 60_000 } == true)
        #expect(after.first?.id == id && after.first?.host == "web-1" && after.first?.pid == 42)
        #expect(after.first?.version == "1.2.3")
    }

    @Test func heartbeat_whenItIsTheFirst_countsTheStartBackByTheDatabasesClock() async throws {
        let fixture = try await F()
        try await fixture.store.heartbeat(F.beat(UUID(), uptime: 3_600_000))
        try fixture.expect(
            "select seen_at - started_at = interval '1 hour' and seen_at <= now() from nudged.daemon",
            "t"
        )
    }

    @Test func heartbeat_whenOthersWereNotSeenForADay_forgetsThem() async throws {
        let fixture = try await F()
        let (lost, old, mine) = (UUID(), UUID(), UUID())
        for id in [lost, old, mine] { try await fixture.store.heartbeat(F.beat(id)) }
        try fixture.sql(
            """
            update nudged.daemon set seen_at = now() - interval '25 hours' where daemon_id in ('\(lost)', '\(mine)');
            update nudged.daemon set seen_at = now() - interval '23 hours' where daemon_id = '\(old)'
            """
        )
        // Its own row is renewed, however old: a machine that slept.
        try await fixture.store.heartbeat(F.beat(mine))
        #expect(Set(try await fixture.store.workStatus().daemons.map(\.id)) == [old, mine])
    }

    @Test func daemonGone_takesItsOwnRowOnly() async throws {
        let fixture = try await F()
        let (one, other) = (UUID(), UUID())
        for id in [one, other] { try await fixture.store.heartbeat(F.beat(id)) }
        try await fixture.store.daemonGone(one)
        try await fixture.store.daemonGone(one)
        #expect(try await fixture.store.workStatus().daemons.map(\.id) == [other])
    }

    @Test func workStatus_countsWhatWaits() async throws {
        let fixture = try await F()
        let empty = try await fixture.store.workStatus()
        #expect(empty.dueUsers == 0 && empty.firstDue == nil && empty.touches == 0 && empty.openPushes == 0)
        #expect(empty.unknownPushes == 0 && empty.daemons.isEmpty)
        try fixture.seed(1...5)
        try fixture.sql(
            """
            update nudged.person set due_at = now() + interval '1 hour' where user_id = \(F.quoted(5));
            insert into nudged.touched (user_id) values (\(F.quoted(4))), (\(F.quoted(4))), (\(F.quoted(3)));
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select \(F.quoted(1)), 'check_in', o || h, 'aa', o, now() - h * interval '1 hour', gen_random_uuid()
            from unnest(array['unknown', 'accepted']) o, unnest(array[1, 23, 25]) h;
            """
        )
        let beat = F.beat()
        try await fixture.store.heartbeat(beat)
        let member = try await fixture.member(id: beat.id)
        let users = try await fixture.claim(2)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        let workStatus = try await fixture.store.workStatus()
        #expect(workStatus.dueUsers == 4)
        #expect(workStatus.firstDue?.rfc3339 == "2026-01-02T00:00:01Z")
        #expect(workStatus.touches == 3)
        #expect(workStatus.openIntents == 1 && workStatus.openPushes == 2)
        #expect(workStatus.unknownPushes == 2 && workStatus.freeRanges == 0)
        let daemon = try #require(workStatus.daemons.first)
        #expect(daemon.ranges == Array(-32...31) && daemon.aliveUntil != nil)
    }

    /// A reminder for everyone that stands still: of others and of what came just now nothing is said.
    @Test func workStatus_whenAFanOutWaits_namesTheFirst() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder("due_at => now() + interval '1 hour', audience => 'everyone'")
        _ = try fixture.setReminder("due_at => now()", about: "8")
        _ = try fixture.setReminder("due_at => now(), audience => 'everyone'", about: "9")
        #expect(try await fixture.store.workStatus().fanOuts == nil)
        let stuck = try fixture.setReminder("due_at => now(), audience => 'everyone'", by: 2, about: "10")
        try fixture.sql(
            """
            update nudged.occurrence set due_at = '2026-01-02 03:04:05Z' where subject_id = '10';
            update nudged.occurrence set due_at = now() - interval '61 seconds' where subject_id in ('8', '9')
            """
        )
        let fanOuts = try #require(try await fixture.store.workStatus().fanOuts)
        #expect(fanOuts.count == 2 && fanOuts.first.rfc3339 == "2026-01-02T03:04:05Z")
        #expect(fanOuts.reminderID.uuidString.lowercased() == stuck.id)
        #expect(fanOuts.subjectType == "task" && fanOuts.subjectID == "10")
    }

    @Test func workStatus_whenThereIsMuch_countsNoFurther() async throws {
        let fixture = try await F.withUsers(1...12_000)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
        let workStatus = try await fixture.store.workStatus()
        #expect(workStatus.dueUsers == 12_000 && workStatus.touches == WorkStatus.most)
    }

    /// A record of any size costs a look at the index of unknown pushes.
    @Test func workStatus_readsNoWholeTable() async throws {
        let fixture = try await F()
        try fixture.sql(
            "create table nudged.delivery_20200101 partition of nudged.delivery for values from ('2020-01-01Z') to ('2020-01-02Z')"
        )
        let connection = try await fixture.connection()
        for (query, others) in [
            (Query.status, [Parameter.int4Array(RangeWalk.all), .int8(100_000)]), (.daemons, []),
        ] {
            let parameters = [.int8(10_000)] + others
            let rows = try await connection.transaction(
                [Statement("explain", sql: "explain " + query.sql, parameters: parameters)],
                settings: Store.pinnedPlans,
                timeout: .seconds(30)
            )
            var plan: [String] = []
            for row in 0..<rows[0].count { plan.append(try rows[0].text(row, 0)) }
            for table in ["person", "touched", "intent", "delivery"] {
                #expect(!plan.contains { $0.contains("Seq Scan on \(table)") }, "\(plan.joined(separator: "\n"))")
            }
            if query == .status {
                // Days that are over are not even opened.
                #expect(plan.contains { $0.contains("Subplans Removed") }, "\(plan.joined(separator: "\n"))")
                #expect(
                    plan.filter { $0.contains("Index") && $0.contains("delivery_") }.allSatisfy {
                        $0.contains("attempted_at_idx")
                    },
                    "\(plan.joined(separator: "\n"))"
                )
            }
        }
    }

    /// A beat every ten seconds for years: no index entries.
    @Test func heartbeat_isAHotUpdate() async throws {
        let fixture = try await F()
        let id = UUID()
        for number in 0..<200 { try await fixture.store.heartbeat(F.beat(id, state: #"{"in_flight": \#(number)}"#)) }
        let connection = try await fixture.connection()
        let stat = Statement(
            "stat",
            sql: "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = 'daemon'"
        )
        // The server's process hands in its counts when it ends; the connection's own close is not waited for.
        var counts = (0 as Int64, 0 as Int64)
        _ = try await eventually {
            let rows = try await connection.run(stat)
            counts = (try rows.int8(0, 0), try rows.int8(0, 1))
            return counts.0 >= 199
        }
        // Other tests' transactions can keep old versions on the page; a full page's next one is not HOT.
        #expect(counts.0 == 199 && counts.1 > 180, "\(counts)")
    }
}
