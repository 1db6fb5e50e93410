import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The daemon behind PgBouncer. Where PgBouncer is not installed the suite says so and is skipped.
@Suite(.ownThreads, .enabled(if: LocalPooler.isInstalled, "PgBouncer is not installed: apt-get install pgbouncer"))
struct PoolerLongTests {
    /// A scene that was migrated through a pooler before its cluster, unless the pooler is in statement mode, and what
    /// nudged is told of it.
    private func pooled(
        _ mode: LocalPooler.Mode = .transaction,
        settings: [String: String] = [:],
        perDevice: Scene.Answers? = nil
    ) async throws -> (Scene, LocalPooler, [String: String?]) {
        let scene = try await Scene(migrated: false, perDevice: perDevice)
        let pooler = try LocalPooler(before: scene.cluster, mode: mode, password: Scene.password, settings: settings)
        let changes: [String: String?] = [
            "APNS_MAX_IN_FLIGHT": "100", "SCHEDULE_BATCH": "50", "DATABASE_URL": pooler.url(database: scene.database),
        ]
        if mode != .statement { try await migrate(scene, changes) }
        return (scene, pooler, changes)
    }

    private func migrate(_ scene: Scene, _ changes: [String: String?]) async throws {
        let run = try await scene.nudged(["migrate"], changes)
        try #require(run.exit == .code(0), "\(run.text)")
        try scene.writeText()
    }

    private func checkOnce(_ scene: Scene, users: Int, allowUnknown: Bool = false) throws {
        let accepted = scene.accepted()
        #expect(accepted.values.allSatisfy { $0 == 1 }, "a device got two")
        let unknown = Int(try scene.sql("select count(*) from nudged.delivery where outcome = 'unknown'")) ?? -1
        #expect(allowUnknown || unknown == 0)
        let recorded = "select count(distinct user_id) from nudged.delivery where outcome in ('accepted', 'unknown')"
        #expect(try scene.sql(recorded) == "\(users)")
        #expect(accepted.count + unknown >= users)
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") == "0")
    }

    /// Everything through one server connection, which the daemon's connections take in turns, transaction by transaction. What it leaves there
    /// would be the next one's: no prepared statement, no setting, no lock, no listener, no temporary table.
    @Test(arguments: [
        ["default_pool_size": "1"], ["server_lifetime": "1", "server_idle_timeout": "1"],
        ["server_reset_query_always": "1", "server_reset_query": "DISCARD ALL"],
    ]) func sweep_whenBehindATransactionPooler_doesAllAndLeavesNothing(settings: [String: String]) async throws {
        let stale = Scene.token(7)
        let (scene, pooler, changes) = try await pooled(settings: settings) { token, _ in
            token == stale ? .answer(status: 410, reason: "Unregistered", timestamp: 1_790_000_000_000) : nil
        }
        defer { pooler.stop() }
        try scene.seedDue(300)
        try await scene.once(changes).ends(0, ["sent": 299])
        #expect(scene.accepted().count == 299)
        #expect(try scene.sql("select count(*) from public.push_tokens where device_token = '\(stale)'") == "0")
        #expect(try scene.sql("select count(*) from nudged.delivery where status = 410") == "1")
        // 69: no daemon is alive now; what was asked is there.
        try await scene.nudged(["status", "--json"], changes).ends(69, output: "due")
        let left = try await state(of: scene, pooler)
        #expect(left == "0|0|0|0|on|0", "\(left)")
    }

    /// Of the pooler's server connection, asked through it: prepared statements, advisory locks, listeners, temporary tables, a planner setting,
    /// the time-out.
    private func state(of scene: Scene, _ pooler: LocalPooler) async throws -> String {
        let question = """
            select (select count(*) from pg_prepared_statements), (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
                (select count(*) from pg_listening_channels()), (select count(*) from pg_class where relpersistence = 't'),
                current_setting('enable_seqscan'), current_setting('statement_timeout')
            """
        let psql = ["psql", "-XAtq", "-d", pooler.url(database: scene.database), "-c", question]
        return String(try await ChildProcess.toEnd(psql).output.prefix { $0 != "\n" })
    }

    @Test(arguments: ["claimed", "after_intent", "before_settle"])
    func devices_whenKilledBehindAPooler_getTheirPushOnce(point: String) async throws {
        let (scene, pooler, changes) = try await pooled()
        defer { pooler.stop() }
        try scene.seedDue(200)
        let killed = try await scene.once(changes.merging(["NUDGED_FAIL_POINT": "\(point):kill:1"]) { $1 })
        #expect(killed.exit == .signal(SIGKILL), "\(killed.text)")
        try scene.expireLeases()
        try await scene.once(changes).ends()
        try checkOnce(scene, users: 200, allowUnknown: point != "claimed")
    }

    /// Two daemons on one pool.
    @Test func daemons_whenTwoShareAPooler_sendOnce() async throws {
        let (scene, pooler, changes) = try await pooled(settings: ["default_pool_size": "3"])
        defer { pooler.stop() }
        try scene.seedDue(600)
        async let left = scene.once(changes)
        async let right = scene.once(changes)
        let runs = try await [left, right]
        for run in runs { #expect(run.exit == .code(0), "\(run.text)") }
        #expect(runs.compactMap { $0.number("sent") }.reduce(0, +) == 600)
        try checkOnce(scene, users: 600)
    }

    /// What we say at the start of a connection is only what every pooler takes; PgBouncer refuses all else, `options` first.
    @Test func connection_whenItStarts_carriesNoOptions() async throws {
        let (scene, pooler, changes) = try await pooled()
        defer { pooler.stop() }
        #expect(!pooler.log.contains("unsupported startup parameter"))
        // The opposite case: with options in the URL it is refused, and the daemon says who refused and why.
        let url = pooler.url(database: scene.database) + "?options=-c%20enable_seqscan%3Doff"
        let process = try scene.start(["run", "--once"], changes.merging(["DATABASE_URL": url]) { $1 })
        // The refusal repeats: the daemon waits until it is fixed.
        let told = process.waitForOutput(.seconds(30)) { $0.contains("options") }
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(told, "\(run.text)")
        #expect(pooler.log.contains("unsupported startup parameter"))
    }

    /// Statement mode refuses transactions with several round trips. A migration has one, and its error says how to fix
    /// it. A sweep's transactions need one round trip each, so they work.
    @Test func migration_whenThePoolerIsInStatementMode_isRefusedAndSaysTheRemedy() async throws {
        let (scene, pooler, changes) = try await pooled(.statement)
        defer { pooler.stop() }
        let refused = try await scene.nudged(["migrate"], changes)
        #expect(refused.exit != .code(0) && refused.text.contains("pool_mode = transaction"), "\(refused.text)")
        #expect(try scene.sql("select to_regclass('nudged.person') is null") == "t")
        try await migrate(scene, [:])
        try scene.seedDue(100)
        try await scene.once(changes).ends()
        try checkOnce(scene, users: 100)
    }

    /// The pooler goes away in mid-sweep, with the answers of pushes on their way, and comes back: nothing is lost, nothing is unknown.
    @Test func outcomes_whenThePoolerRestarts_areKept() async throws {
        _ = try await outcomes(of: 400, after: 60) { _, pooler in
            pooler.halt()
            // A claim whose answer was lost holds its users until their lease ends.
            try pooler.start()
        }
    }

    /// Somebody else has the only server connection for longer than PgBouncer lets a client wait: it closes ours, and we come again.
    @Test func outcomes_whenTheQueueIsTooLong_areKept() async throws {
        let only = ["default_pool_size": "1", "query_wait_timeout": "1"]
        let log = try await outcomes(only, of: 300, after: 40) { scene, pooler in
            let greedy = "begin; select pg_sleep(4); commit"
            let url = pooler.url(database: scene.database)
            _ = try await ChildProcess.toEnd(["psql", "-XAtq", "-d", url, "-c", greedy])
        }
        #expect(log.contains("query_wait_timeout"))
    }

    /// Something happens once a daemon has sent the first pushes. Returns the pooler's log.
    private func outcomes(
        _ settings: [String: String] = [:],
        of users: Int,
        after first: Int,
        _ happens: (Scene, LocalPooler) async throws -> Void
    ) async throws -> String {
        let (scene, pooler, changes) = try await pooled(settings: settings) { _, _ in
            .delay(.milliseconds(20), then: .accept)
        }
        defer { pooler.stop() }
        try scene.seedDue(users)
        let slow = changes.merging(["SCHEDULE_LEASE": "60s", "APNS_RESPONSE_TIMEOUT": "20s"]) { $1 }
        let process = try scene.startFast(slow)
        #expect(await scene.simulator.waitUntil(accepted: first))
        try await happens(scene, pooler)
        #expect(await scene.simulator.waitUntil(accepted: users, within: .seconds(240)))
        try await scene.wait(for: "count(*) = \(users) from nudged.delivery where outcome = 'accepted'", of: process)
        try await scene.stop(process)
        try checkOnce(scene, users: users)
        return pooler.log
    }
}
