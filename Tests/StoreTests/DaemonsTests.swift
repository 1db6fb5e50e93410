import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// The rows that `nudged status` reads.
@Suite(.ownThreads) struct DaemonsTests {
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
        for (query, others) in [(Query.status, [Parameter.int4Array(RangeWalk.all), .int8(100_000)]), (.daemons, [])] {
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
        for number in 0..<200 { try await fixture.beat(id, state: #"{"in_flight": \#(number)}"#) }
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
