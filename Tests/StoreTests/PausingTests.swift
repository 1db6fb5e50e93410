import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Pauses and everyone due, on a real PostgreSQL.
@Suite(.ownThreads) struct PausingTests {
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
