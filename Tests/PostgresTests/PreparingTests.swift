import LocalPostgres
import TestSupport
import Testing

@testable import Postgres

/// Statements that a session prepares once.
@Suite(.ownThreads) struct PreparingTests {
    typealias F = ServerFixture

    private static let values = Statement("values", sql: "select n from v order by n", preparedName: "values_1")
    private static let known = Statement(
        "known",
        sql: "select count(*) from pg_prepared_statements where name not like 'settings%'"
    )

    /// Twice, so that it is prepared by now: the first answer shows whether the session allows it.
    private static func ready() async throws -> Connection {
        let connection = try await F.connection()
        let script = "create table t (n int); insert into t values (1); create view v as table t"
        try await connection.execute(script: script)
        for _ in 0..<2 { #expect(try await connection.run(values).int4(0, 0) == 1) }
        return connection
    }

    @Test func statement_withAName_isPreparedOnce() async throws {
        let connection = try await Self.ready()
        #expect(try await connection.run(Self.known).int8(0, 0) == 1)
        // Both in one flight, and each has its own parameters.
        let other = { (n: Int32) in
            Statement("other", sql: "select $1 + 1", parameters: [.int4(n)], preparedName: "other_1")
        }
        let rows = try await connection.transaction([other(1), Self.values, other(2), Self.known])
        #expect(rows.allSatisfy { $0.columnCount == 1 && $0.count == 1 })
        #expect(try [rows[0].int4(0, 0), rows[1].int4(0, 0), rows[2].int4(0, 0)] == [2, 1, 3])
        #expect(try rows[3].int8(0, 0) == 2)
    }

    /// No such statement (26000), another one of its name (42P05), other columns (0A000).
    @Test(arguments: [
        "deallocate all", "deallocate values_1", "prepare later_1 as select 5",
        "drop view v; alter table t alter n type bigint; create view v as table t",
    ]) func statement_thatTheServerRefusesAsPrepared_isRepeatedWithoutAName(change: String) async throws {
        let connection = try await Self.ready()
        try await connection.execute(script: change)
        let insert = Statement("insert", sql: "insert into t values (2)")
        let later = Statement("later", sql: "select 6", preparedName: "later_1")
        let rows = try await connection.transaction([insert, Self.values, later])
        #expect(try rows.count == 3 && rows[1].count == 2 && rows[2].int4(0, 0) == 6)
        let prepared = try await connection.run(Self.known).int8(0, 0)
        for n in 2..<4 {
            let again = Statement("again", sql: "select \(n)", preparedName: "again_\(n)")
            #expect(try await connection.run(again).int4(0, 0) == Int32(n))
        }
        #expect(try await connection.run(Self.known).int8(0, 0) == prepared)
    }

    /// What it comes after is committed by then, and must not be repeated.
    @Test func statementAfterwards_isNeverPrepared() async throws {
        let connection = try await Self.ready()
        try await connection.execute(script: "deallocate values_1; create table once (n int)")
        let insert = Statement("insert", sql: "insert into once values (1)")
        _ = try await connection.transaction([insert], afterwards: [Self.values])
        #expect(try await connection.run(Statement("count", sql: "select count(*) from once")).int8(0, 0) == 1)
        let failing = Statement("values", sql: "select pg_catalog.int4in('x')", preparedName: "failing_1")
        let error = await F.error { _ = try await connection.transaction([insert], afterwards: [failing]) }
        #expect(error?.code == .refusedByServer)
        #expect(try await connection.run(Self.known).int8(0, 0) == 0)
    }

    @Test func statement_behindAPooler_isNeverPrepared() async throws {
        guard LocalPooler.isInstalled else { return }
        let cluster = try F.cluster.get()
        let pooler = try LocalPooler(before: cluster, mode: .transaction, password: "correct-horse")
        defer { pooler.stop() }
        let connection = try await Connection.open(.parse(url: pooler.url(database: "postgres")))
        let one = Statement("one", sql: "select 1", preparedName: "one_1")
        for _ in 0..<3 { #expect(try await connection.run(one).int4(0, 0) == 1) }
        let all = Statement("all", sql: "select count(*) from pg_prepared_statements")
        #expect(try await connection.run(all).int8(0, 0) == 0)
    }
}
