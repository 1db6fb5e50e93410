import FoundationEssentials
import Glibc
import LocalPostgres
import TestSupport
import Testing

@testable import Postgres

@Suite(.ownThreads) struct FailureTests {
    typealias F = ServerFixture

    @Test func statement_whenTooSlow_isCancelledByTheServer() async throws {
        let connection = try await F.connection()
        let sleep = F.sql("select pg_sleep(60)")
        let error = await F.error { _ = try await connection.run(sleep, timeout: .milliseconds(50)) }
        #expect(error?.sqlState == "57014" && error?.isTransient == true)
        #expect(try await connection.run(F.sql("select 1")).int4(0, 0) == 1)
    }

    @Test func server_whenItHangs_timesOutAndCloses() async throws {
        let connection = try await F.connection()
        let id = try await connection.run(F.sql("select pg_backend_pid()")).int4(0, 0)
        kill(id, SIGSTOP)
        defer { kill(id, SIGCONT) }
        let error = await F.error { _ = try await connection.run(F.sql("select 1"), timeout: .milliseconds(50)) }
        #expect(error?.code == .timedOut && !connection.isUsable)
        #expect(await F.error { _ = try await connection.run(F.sql("select 1")) }?.code == .notConnected)
    }

    @Test func database_whenBackendIsTerminated_reconnects() async throws {
        let configuration = try F.configuration()
        let database = Database(configuration)
        let first = try await database.connection()
        let own = F.sql("select pg_terminate_backend(pg_backend_pid()), pg_sleep(20)")
        let error = await F.error { _ = try await first.run(own) }
        #expect(error?.code == .connectionLost && error?.sqlState == "57P01" && error?.isTransient == true)
        let second = try await database.connection()
        #expect(second !== first)
        #expect(try await second.run(F.sql("select 1")).int4(0, 0) == 1)
        await database.close()
        #expect(await F.error { _ = try await database.connection() }?.code == .notConnected)
    }

    /// The server ends connections that rest for long, and restarts. The next statement must not pay for that.
    @Test func connection_whenTheServerEndedItAtRest_isReplacedBeforeUse() async throws {
        let configuration = try F.configuration()
        let database = Database(configuration)
        for _ in 0..<3 {
            let process = try await database.connection().run(F.sql("select pg_backend_pid()")).int4(0, 0)
            let other = try await Connection.open(configuration)
            _ = try await other.run(F.sql("select pg_terminate_backend(\(process))"))
            // Its socket is closed last, with the process.
            #expect(await eventually { kill(process, 0) == -1 && errno == ESRCH })
            await other.close()
            let next = try await database.connection().run(F.sql("select pg_backend_pid()")).int4(0, 0)
            #expect(next != process)
        }
        await database.close()
    }

    @Test func database_whileItWaits_canBeCancelled() async throws {
        let configuration = try ConnectionConfiguration.parse(url: "postgresql://u@%2Fnowhere/db")
        let (failures, failed) = AsyncStream.makeStream(of: PostgresError.self)
        let database = Database(configuration, onFailure: { failed.yield($0) })
        let waiting = Task { await F.error { _ = try await database.connection() } }
        #expect(await failures.first { _ in true }?.code == .connectionFailed)
        waiting.cancel()
        #expect(await waiting.value?.code == .cancelled)
    }

    @Test func password_whenWrong_isSaidWithoutIt() async throws {
        let cluster = try F.cluster.get()
        let configuration = try ConnectionConfiguration.parse(url: cluster.tcpURL(password: "wrong-horse"))
        let error = await F.error { _ = try await Connection.open(configuration) }
        #expect(error?.sqlState == "28P01" && error?.isTransient == false)
        #expect("\(String(describing: error)) \(configuration)".contains("horse") == false)
        #expect(error?.detail?.contains("password authentication failed") == true)
        #expect(error?.object == "postgres@127.0.0.1:\(cluster.port ?? 0)/postgres")
        let right = try ConnectionConfiguration.parse(url: cluster.tcpURL())
        #expect(try await Connection.open(right).run(F.sql("select 1")).int4(0, 0) == 1)
        let none = try ConnectionConfiguration.parse(url: cluster.url(database: "none"))
        #expect(await F.error { _ = try await Connection.open(none) }?.sqlState == "3D000")
    }

    @Test func host_whenItNeverAnswers_timesOutAndTheNextIsTried() async throws {
        // The TCP connection stands, PostgreSQL's answer never comes.
        let listener = try #require(LoopbackPort(backlog: 20))
        defer { withExtendedLifetime(listener) {} }
        let port = listener.port
        let time = Duration.milliseconds(200)
        let silent = try ConnectionConfiguration.parse(url: "postgresql://127.0.0.1:\(port)/x", connectTimeout: time)
        #expect(await F.error { _ = try await Connection.open(silent) }?.code == .connectionFailed)
        let cluster = try F.cluster.get()
        let url = "postgresql://postgres:correct-horse@127.0.0.1:\(port),127.0.0.1:\(cluster.port ?? 0)/postgres"
        let both = try ConnectionConfiguration.parse(url: url, connectTimeout: .seconds(2))
        #expect(try await Connection.open(both).run(F.sql("select 1")).int4(0, 0) == 1)
    }

    @Test func deadlock_isTransient() async throws {
        let first = try await F.connection()
        let second = try await Connection.open(first.configuration)
        _ = try await first.run(F.sql("create table t (n int primary key, m int)"))
        _ = try await first.run(F.sql("insert into t values (1, 0), (2, 0)"))
        let lock = { @Sendable (n: Int32) in F.sql("update t set m = 1 where n = $1", .int4(n)) }
        let error = await F.error {
            try await first.transaction { one in
                _ = try await one.run(lock(1))
                try await second.transaction { two in
                    _ = try await two.run(lock(2))
                    async let a = one.run(lock(2))
                    _ = try await two.run(lock(1))
                    _ = try await a
                }
            }
        }
        #expect(error?.sqlState == "40P01" && error?.isTransient == true)
    }

    @Test func error_neverHoldsAParameter() async throws {
        let connection = try await F.connection()
        try await connection.execute(
            script: """
                create table t (k text primary key, c text constraint short check (length(c) < 3), u uuid);
                create function shout(x text) returns void language plpgsql as $$ begin
                  raise notice '%', x; raise exception '%', x using errcode = '42601', table = x, detail = x, hint = x; end $$;
                create function dynamic(x text) returns void language plpgsql as $$ begin execute 'select ' || x; end $$;
                """
        )
        let statements = [
            "select $1::uuid", "select $1::int", "select $1::timestamptz", "select $1::jsonb", "select $1::regclass",
            "select $1::jsonpath", "select to_tsquery($1)", "select shout($1)", "select dynamic($1)",
            "insert into t values ($1, $1)", "insert into t values ($1), ($1)", "select now() at time zone $1",
            "select set_config($1, 'x', true)", "select set_config('work_mem', $1, true)", "select nextval($1)",
            "select pg_read_file($1)", "select to_char(now(), $1)::int", "select has_table_privilege($1, 'select')",
            "select set_config('role', $1, true)", "select $1::regtype", "select $1::inet", "select $1::text[]",
            "select decode($1, 'hex')", "select $1::xml", "select regexp_match('a', $1 || '(')", "select $1::bit(3)",
        ]
        let seed = UInt64.random(in: 0 ... .max)
        for (index, sql) in statements.enumerated() {
            let planted = "planted\(seed &+ UInt64(index))secret"
            let error = await F.error { _ = try await connection.run(F.sql(sql, .text(planted))) }
            let text = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
            #expect(!text.contains("planted"), "seed \(seed): \(sql)")
        }
        let helpful = await F.error { _ = try await connection.run(F.sql("select * from nudged.person")) }
        #expect(helpful?.description.contains("nudged migrate") == true)
        #expect(helpful?.detail == "relation \"nudged.person\" does not exist")
    }

    @Test func result_whenAMillionRows_isReadInPlace() async throws {
        let connection = try await F.connection()
        let rows = try await connection.run(F.sql("select n::int8 from generate_series(1, 1000000) n"))
        var sum: Int64 = 0
        for row in 0..<rows.count { sum += try rows.int8(row, 0) }
        #expect(sum == 500_000_500_000)
    }

    @Test func flight_whenBothSidesHaveMuchToSay_doesNotDeadlock() async throws {
        let connection = try await F.connection()
        let big = String(repeating: "x", count: 400_000)
        let rows = try await connection.transaction((0..<40).map { _ in F.sql("select $1", .text(big)) })
        #expect(try rows.allSatisfy { try $0.text(0, 0).utf8.count == 400_000 })
    }
}
