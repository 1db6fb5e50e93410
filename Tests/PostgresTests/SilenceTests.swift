import LocalPostgres
import TestSupport
import Testing

@testable import Postgres

/// A commit whose answer never comes: it waits on in the server for a standby that is away.
@Suite(.ownThreads) struct SilenceTests {
    private typealias F = ServerFixture

    private static let stuck = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"

    /// Else each further commit would be a further session, until none is left for anybody.
    @Test(.timeLimit(.minutes(10))) func database_whenACommitHangs_leavesOneSessionInTheServer() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(settings: ["synchronous_commit": "on"]))
        defer { cluster.stop() }
        try cluster.sql("create table t (n integer)")
        let (answers, refused) = AsyncStream.makeStream(of: PostgresError?.self)
        var configuration = try ConnectionConfiguration.parse(url: cluster.url())
        configuration.searchPath = "public"
        let database = Database(
            configuration,
            afterSilence: { connection throws(PostgresError) in
                let answer = try await connection.run(F.sql(Self.stuck))
                if try answer.int8(0, 0) > 0 { throw PostgresError(.timedOut, detail: "stuck") }
            },
            onFailure: { refused.yield($0) }
        )
        let first = try await database.connection()
        try cluster.sql("alter system set synchronous_standby_names = 'nobody'")
        try cluster.sql("select pg_reload_conf()")
        // The checkpointer is who tells commits to wait, and it reads its configuration before a checkpoint.
        try cluster.sql("checkpoint")
        let insert = F.sql("insert into t values (1)")
        let error = await F.error { _ = try await first.transaction([insert], timeout: .seconds(2)) }
        #expect(error?.code == .timedOut)
        let next = Task {
            let connection = try await database.connection()
            refused.yield(nil)
            return connection
        }
        #expect(await answers.first { _ in true }??.detail == "stuck")
        #expect(try cluster.sql(Self.stuck) == "1\n")
        try cluster.sql("alter system reset synchronous_standby_names")
        try cluster.sql("select pg_reload_conf()")
        let second = try await next.value
        _ = try await second.transaction([F.sql("insert into t values (2)")])
        #expect(try cluster.sql("select count(*) from t") == "2\n")
        await database.close()
    }
}
