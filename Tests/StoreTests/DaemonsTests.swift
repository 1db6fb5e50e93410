import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// The rows that `nudged status` reads.
@Suite(.ownThreads) struct DaemonsTests {
    /// A record of any size costs a look at the index of unknown pushes.
    @Test func workStatus_readsNoWholeTable() async throws {
        let fixture = try await F()
        try fixture.sql(
            "create table nudged.delivery_20200101 partition of nudged.delivery for values from ('2020-01-01Z') to ('2020-01-02Z')"
        )
        for (query, others) in [(Query.status, [Parameter.int4Array(RangeWalk.all), .int8(100_000)]), (.daemons, [])] {
            let plan = try await fixture.plan(query, [.int8(10_000)] + others)
            for table in ["person", "touched", "intent", "delivery"] {
                #expect(!plan.contains("Seq Scan on \(table)"), "\(plan)")
            }
            guard query == .status else { continue }
            // Days that are over are not even opened.
            #expect(plan.contains("Subplans Removed"), "\(plan)")
            let scans = plan.split(separator: "\n").filter { $0.contains("Index") && $0.contains("delivery_") }
            #expect(scans.allSatisfy { $0.contains("attempted_at_idx") }, "\(plan)")
        }
    }

    /// A beat every ten seconds for years: no index entries.
    @Test func heartbeat_isAHotUpdate() async throws {
        let fixture = try await F()
        let id = UUID()
        for number in 0..<200 { try await fixture.beat(id, state: #"{"in_flight": \#(number)}"#) }
        let counts = try await fixture.updates(of: "daemon", atLeast: 199)
        // Other tests' transactions can keep old versions on the page; a full page's next one is not HOT.
        #expect(counts.all == 199 && counts.hot > 180, "\(counts)")
    }
}
