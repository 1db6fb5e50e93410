import TestSupport
import Testing

@testable import Postgres

@Suite(.ownThreads) struct TransactionTests {
    typealias F = ServerFixture

    private let connection: Connection

    init() async throws { connection = try await F.connection() }

    @Test func transaction_whenAllIsWell_commitsAndAnswersEach() async throws {
        let rows = try await connection.transaction(
            [
                F.sql("create table t (n int)"), F.sql("insert into t values ($1), (2)", .int4(1)),
                F.sql("select current_setting('work_mem'), current_setting('statement_timeout')"),
                F.sql("select n from t order by n"),
            ],
            settings: [("work_mem", "7MB")],
            timeout: .seconds(9)
        )
        #expect(try rows.count == 4 && rows[2].text(0, 0) == "7MB" && rows[2].text(0, 1) == "9s")
        #expect(try rows[3].int4(1, 0) == 2)
        let after = try await connection.run(F.sql("select count(*), current_setting('work_mem') from t"))
        #expect(try after.int8(0, 0) == 2 && after.text(0, 1) == "4MB")
    }

    @Test func transaction_whenOneFails_rollsBackAndStaysUsable() async throws {
        _ = try await connection.run(F.sql("create table t (n int primary key)"))
        let error = await F.error {
            _ = try await connection.transaction([
                F.sql("insert into t values (1)"),
                Statement("second", sql: "insert into t values (1)"),
                Statement("third", sql: "insert into nowhere values (1)"),
            ])
        }
        #expect(error?.code == .refusedByServer && error?.sqlState == "23505" && error?.statement == "second")
        #expect(error?.object == "constraint t_pkey, table public.t")
        #expect(try await connection.run(F.sql("select count(*) from t")).int8(0, 0) == 0)
    }

    @Test func commit_whenDeferredConstraintFails_throwsAndStaysUsable() async throws {
        _ = try await connection.run(F.sql("create table t (n int unique deferrable initially deferred)"))
        let insert = F.sql("insert into t values (1), (1)")
        for _ in 0..<3 {
            let explicit = await F.error { _ = try await connection.transaction([insert]) }
            #expect(explicit?.sqlState == "23505")
            let implicit = await F.error { _ = try await connection.run(insert) }
            #expect(implicit?.sqlState == "23505")
        }
        #expect(try await connection.run(F.sql("select count(*) from t")).int8(0, 0) == 0)
    }

    @Test func statement_whenItBeginsOrEndsATransaction_leavesNoneOpen() async throws {
        _ = try await connection.run(F.sql("begin"))
        let rolledBack = await F.error {
            _ = try await connection.transaction([F.sql("create table gone (n int)"), F.sql("rollback")])
        }
        #expect(rolledBack != nil)
        for bad in ["", "select 1; select 2"] {
            #expect(await F.error { _ = try await connection.run(F.sql(bad)) } != nil)
        }
        let other = try await Connection.open(connection.configuration)
        let open = "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'"
        #expect(try await other.run(F.sql(open)).int8(0, 0) == 0)
    }

    @Test(arguments: ["copy pg_class to stdout", "copy pg_class from stdin"])
    func copy_whenTried_closesAndDoesNotHang(sql: String) async throws {
        #expect(await F.error { _ = try await connection.run(F.sql(sql)) } != nil)
        let other = try await F.connection()
        #expect(await F.error { try await other.execute(script: sql) } != nil)
    }

    @Test func interactive_whenBodyReturns_commits_andElseRollsBack() async throws {
        let count = try await connection.transaction { transaction in
            try await transaction.execute(script: "create table t (n int); insert into t values (1), (2);")
            return try await transaction.run(F.sql("select count(*) from t")).int8(0, 0)
        }
        #expect(count == 2)
        #expect(try await connection.run(F.sql("select count(*) from t")).int8(0, 0) == 2)
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await connection.transaction { transaction in
                _ = try await transaction.run(F.sql("create table u (n int)"))
                throw Stop()
            }
        }
        let swallowed = await F.error {
            try await connection.transaction { transaction in
                _ = try await transaction.run(F.sql("create table u (n int)"))
                _ = try? await transaction.run(F.sql("select 1/0"))
            }
        }
        #expect(swallowed?.code == .rolledBack)
        #expect(try await connection.run(F.sql("select to_regclass('u') is null")).bool(0, 0))
        // Used after its end.
        let kept = try await connection.transaction { $0 }
        #expect(await F.error { _ = try await kept.run(F.sql("select 1")) }?.code == .transactionEnded)
    }

    @Test func callers_whenConcurrent_takeTurns() async throws {
        _ = try await connection.run(F.sql("create table t (who int, n int)"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for who in 0..<8 {
                group.addTask {
                    try await connection.transaction { transaction in
                        for n in 0..<5 {
                            let row = F.sql("insert into t values ($1, $2)", .int4(Int32(who)), .int4(Int32(n)))
                            _ = try await transaction.run(row)
                            await Task.yield()
                        }
                    }
                }
                group.addTask {
                    // A whole transaction's rows or none: never from inside another's.
                    let rows = try await connection.run(F.sql("select count(*) % 5 from t"))
                    #expect(try rows.int8(0, 0) == 0)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await connection.run(F.sql("select count(*) from t")).int8(0, 0) == 40)
    }

    /// Under a task executor, each call into the actor may let others in, also where it waits for nothing.
    @Test func callers_whenTheirTasksHaveAnExecutor_loseNoTurn() async throws {
        for _ in 0..<40 {
            let served = Observed(0)
            for _ in 0..<16 {
                Task(executorPreference: ThreadPerJob.shared) {
                    _ = try await connection.run(F.sql("select 1"))
                    served.change { $0 += 1 }
                }
            }
            try #require(await eventually(within: .seconds(60)) { served.now == 16 }, "\(served.now) of 16")
        }
    }

    @Test func script_whenItFails_changesNothingAndStaysUsable() async throws {
        let script = "create table t (n int); select 1/0; create table u (n int)"
        let error = await F.error { try await connection.execute(script: script, name: "0001.sql") }
        #expect(error?.sqlState == "22012" && error?.statement == "0001.sql")
        #expect(try await connection.run(F.sql("select to_regclass('t') is null")).bool(0, 0))
        #expect(try await connection.run(F.sql("show statement_timeout")).text(0, 0) == "30s")
        let sleep = "select pg_sleep(60)"
        let slow = await F.error { try await connection.execute(script: sleep, timeout: .milliseconds(50)) }
        #expect(slow?.sqlState == "57014")
    }
}
