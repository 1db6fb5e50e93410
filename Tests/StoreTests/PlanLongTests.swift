import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// The hot statements go by index whatever the planner believes: a plan that errs costs three quarters of the throughput.
@Suite(.ownThreads) struct PlanLongTests {
    enum Belief: String, CaseIterable {
        /// A fresh table, a burst: no statistics at all.
        case nothing
        /// Statistics of when the tables were empty.
        case empty
        /// The truth.
        case truth
    }

    @Test(arguments: Belief.allCases) func plans_whenTablesAreLarge_readNoWholeTable(belief: Belief) async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            alter table nudged.person set (autovacuum_enabled = off); alter table nudged.touched set (autovacuum_enabled = off);
            alter table public.context_profiles set (autovacuum_enabled = off); alter table public.push_tokens set (autovacuum_enabled = off);
            alter table nudged.intent set (autovacuum_enabled = off);
            """
        )
        if belief == .empty { try fixture.sql("vacuum analyze") }
        try fixture.seed(1...50_000)
        try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person limit 20000")
        if belief == .truth { try fixture.sql("vacuum analyze") }
        let connection = try await fixture.connection()
        for (query, parameters) in Self.hot {
            for isPrepared in query().preparedName == nil ? [false] : [false, true] {
                let plan = try await Self.plan(query, parameters, isPrepared: isPrepared, connection)
                Self.expectIndexes(plan, of: query, "\(belief) \(query), prepared: \(isPrepared)", belief)
            }
        }
    }

    /// A table that is small: the planner read all of it for the one row that it expected.
    @Test(arguments: [2_000, 10_000]) func settlement_whenTheTableIsSmall_isBoundedByItsUsers(users: Int) async throws {
        let fixture = try await F()
        try fixture.sql("alter table nudged.person set (autovacuum_enabled = off)")
        try fixture.seed(1...users)
        try fixture.sql("vacuum analyze")
        let connection = try await fixture.connection()
        for (query, parameters) in Self.hot where query == .settle {
            for isPrepared in [false, true] {
                let plan = try await Self.plan(query, parameters, isPrepared: isPrepared, connection)
                Self.expectBounded(plan, "\(users) \(query), prepared: \(isPrepared)")
            }
        }
    }

    /// How the server runs it: with these values, or once a session has prepared it, when it knows no values.
    private static func plan(_ query: Query, _ parameters: [Parameter], isPrepared: Bool, _ connection: Connection)
        async throws -> [String]
    {
        let nulls = parameters.map { _ in "null" }.joined(separator: ", ")
        let explain =
            isPrepared
            ? Statement("explain", sql: "explain execute one (\(nulls))")
            : Statement("explain", sql: "explain " + query.sql, parameters: parameters)
        let statements =
            isPrepared
            ? [
                Statement("prepare", sql: "prepare one as " + query.sql), explain,
                Statement("deallocate", sql: "deallocate one"),
            ] : [explain]
        // The settlement joins a list with a list, once the rows are read by their index: linear only by hashing.
        let more = query == .settle ? [("enable_hashjoin", "on")] : []
        let rows = try await connection.transaction(
            statements,
            settings: Store.pinnedPlans + more + (isPrepared ? [("plan_cache_mode", "force_generic_plan")] : []),
            timeout: .seconds(30)
        )
        let plan = rows[isPrepared ? 1 : 0]
        return try (0..<plan.count).map { try plan.text($0, 0) }
    }

    private static func expectIndexes(_ plan: [String], of query: Query, _ what: String, _ belief: Belief) {
        let said: Comment = "\(what): \(plan.joined(separator: "\n"))"
        for table in ["person", "touched", "delivery", "push_tokens", "context_profiles", "occurrence", "reminder"] {
            #expect(!plan.contains { $0.contains("Seq Scan on \(table)") }, said)
        }
        let isHashed = plan.contains {
            $0.contains("Hash Join") || $0.contains("Hash Right Join") || $0.contains("Hash Left Join")
        }
        // Where it is believed to have a row or none, the settlement meets those that the list names one by one: bounded by the list all the same.
        if query != .settle || belief == .truth { #expect(isHashed == (query == .settle), said) }
        if query == .settle { expectBounded(plan, what) }
        #expect(!plan.contains { $0.contains("Merge Join") }, said)
        // Nor is one list compared with another, row by row.
        let isCompared = plan.contains { $0.contains("CTE Scan on kept") }
        #expect(!isCompared || plan.contains { $0.contains("hashed SubPlan") }, said)
        // What waits for rows meets them in the order of user_id: by one index, going on from list to list or along one.
        if [.postpone, .settle].contains(query), belief == .truth || query == .postpone {
            #expect(plan.contains { $0.contains("Index Scan using person_pkey on person") }, said)
        }
        // The claim and the drain stop at their limit: no sort of all that is due.
        if query == .claimPeople || query == .touches {
            #expect(plan.contains { $0.contains("Limit") }, said)
            let sorted = plan.drop { !$0.contains("Limit") }.prefix(4)
            #expect(!sorted.contains { $0.contains("Sort") }, said)
        }
    }

    /// Users' rows are found by their ids, never by reading along the index.
    private static func expectBounded(_ plan: [String], _ what: String) {
        let said: Comment = "\(what): \(plan.joined(separator: "\n"))"
        let scans = plan.indices.filter { plan[$0].contains("using person_pkey on person") }
        #expect(!scans.isEmpty, said)
        for place in scans {
            let condition = place + 1 < plan.count ? plan[place + 1] : ""
            #expect(condition.contains("Index Cond: (user_id = "), said)
        }
    }

    private static var hot: [(Query, [Parameter])] {
        let users = (1...500).map { Optional(F.user($0)) }
        let (ids, texts) = (Parameter.uuidArray(users), Parameter.textArray(users.map { _ in "{}" }))
        let contents = Parameter.byteaArray(users.map { _ in [0] })
        let (one, last) = (Parameter.uuidArray([F.user(3)]), Parameter.uuidArray([F.user(5)]))
        let now = Optional(F.now.seconds * 1_000_000)
        let instant = Parameter.timestamp(F.now.microseconds)
        let instants = Parameter.timestampArray(users.map { _ in now })
        let versions = Parameter.int8Array(users.map { _ in 1 })
        let all = Parameter.int4Array(RangeWalk.all)
        let ones = Parameter.int4Array(users.map { _ in 1 })
        return [
            (
                .claimPeople,
                [instant, .timestamp(.min), .uuid(F.user(1)), .int8(500), all, one, .uuid(F.user(4)), last]
            ),
            (.dueFloor, [instant, all, .int8(10_000)]),
            (.claimProfiles, [ids, .int8(8 << 20), .int8(1_000)]),
            (.claimDevices, [ids, .int8(2_100)]),
            (.claimDevicesBounded, [ids, .int8(1_000)]),
            (.claimSurfaces, [ids, .int8(100_000)]),
            (.claimMessages, [ids, .int8(3_000)]),
            (.claimMessagesBounded, [ids, .int8(3_000), .int8(2_000), instant]),
            (.claimReminders, [ids, .int8(3_000)]),
            (.claimRemindersBounded, [ids, instant, .int8(200), .int8(1_000), .int8(3_000)]),
            (.liveReminders, [ids, ids]),
            (.touches, [all, .int8(0), .int8(1_000), one]),
            (.drain, [ids, versions, instant]),
            (.holdMessages, [ids, ids]),
            (.intent, [.uuid(F.user(9)), .uuid(F.user(8)), .uuid(F.user(8)), instant, ids, ones, contents, ids]),
            (
                .settle,
                [
                    ids, ones, versions, instants, instants, instants, .textArray(users.map { _ in "not_due" }),
                    .textArray(users.map { _ in nil }), contents, .int2Array(users.map { _ in 0 }), ids, texts, texts,
                    .dateArray(users.map { _ in 1 }), texts, ids, texts, texts, .int2Array(users.map { _ in 200 }),
                    .int2Array(users.map { _ in 600 }), instants, .textArray([]), ones, .uuid(F.user(8)), one,
                ]
            ),
            (.closeIntents, [.uuidArray([F.user(9)]), .int4Array([1]), .bool(true), .uuidArray([])]),
            (.endMessages, [.uuidArray([F.user(3)]), .uuidArray([F.user(4)])]),
            (.endReminders, [.uuidArray([F.user(3)]), .uuidArray([F.user(4)]), .null(.jsonb)]),
            (.forgetDevices, [ids, texts, texts, texts, instants, ids, instant]),
            (.analysed, [.uuid(F.user(1))]),
            (.noteAnalysed, [.uuid(F.user(1)), .timestampArray([now])]),
            (.touchedSince, [ids]),
            (.remaining, [instant, all, all]),
            (.postpone, [ids, versions, instants]),
        ]
    }

    /// A nudge costs its user's row one update: a claim and an intent write nothing of it.
    @Test func updates_whenSettling_areOneAUser() async throws {
        let fixture = try await F.withUsers(1...500)
        try fixture.sql("select pg_stat_reset()")
        let member = try await fixture.member()
        let users = try await fixture.claim(500)
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        _ = try await fixture.store.settle(Settlement(member, users.map { F.change($0) }, closed: [F.whole(intent)]))
        await fixture.store.close()
        #expect(try await fixture.updates(of: "person", atLeast: 500).all == 500)
    }
}
