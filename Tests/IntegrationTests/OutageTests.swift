import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// What is away, missing or in the way: said once, waited for within bounds, and no reason to hang.
@Suite(.ownThreads) struct OutageTests {
    @Test func stop_whenTheDatabaseIsAway_endsWellAtOnce() async throws {
        let scene = try await Scene(migrated: false)
        let socket = NotifySocket(scene.folder + "/notify")
        let away = ["DATABASE_URL": "postgresql://postgres@127.0.0.1:1/none", "WATCHDOG_USEC": "2000000"]
        let process = try scene.start(["run"], away.merging(["NOTIFY_SOCKET": socket.path]) { $1 })
        #expect(socket.wait { $0.contains("waiting for PostgreSQL: ") } != nil)
        // Attempts to connect are progress: the watchdog is fed while the database is away.
        #expect(socket.wait { $0.contains("WATCHDOG=1") } != nil)
        process.signal(SIGTERM)
        #expect(try await scene.finish(process, within: .seconds(4)).exit == .code(0))
    }

    @Test func run_whenTheDatabaseIsNotMigrated_saysSoOnce() async throws {
        let scene = try await Scene(migrated: false)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.startFast(["NOTIFY_SOCKET": socket.path])
        // Two reports a tick: five ticks at least.
        for _ in 0..<10 { #expect(socket.wait { $0.contains("run nudged migrate") } != nil) }
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(run.errors.occurrences(of: "run nudged migrate") == 1, "\(run.text)")
        #expect(!run.errors.contains("answers again"), "\(run.text)")
    }

    /// The intent's commit hangs, longer than its daemon waits: when the standby is back, the intent is there, and nobody died.
    @Test(.timeLimit(.minutes(10))) func intent_whenItsCommitHangsPastTheLease_isWithdrawnOnceItIsThere() async throws {
        let options = LocalCluster.Options(password: Scene.password, settings: ["synchronous_commit": "on"])
        let cluster = try LocalCluster(options)
        defer { cluster.stop() }
        let scene = try await Scene(cluster: cluster)
        try scene.seedDue(1)
        // The connection of withdrawals must not hang with the daemon's own row.
        try scene.sql(
            """
            create function public.local() returns trigger language plpgsql as $$ begin
                perform set_config('synchronous_commit', 'local', true); return new;
            end $$;
            create trigger local before insert or update on nudged.daemon for each row execute function public.local()
            """
        )
        let gate = scene.folder + "/gate"
        let settings = [
            "NUDGED_FAIL_POINT": "before_intent:hold:\(gate)", "DATABASE_STATEMENT_TIMEOUT": "3s",
            "SCHEDULE_LEASE": "7s", "APNS_RESPONSE_TIMEOUT": "3s",
        ]
        let process = try scene.start(["run"], settings)
        func wait(_ condition: () throws -> Bool) async throws {
            try #require(await eventually(condition), "\(process.errorOutput.suffix(2000))")
        }
        try await wait { access(gate + ".held", F_OK) == 0 }
        try scene.sql("alter system set synchronous_standby_names = 'nobody'")
        try scene.sql("select pg_reload_conf()")
        // The checkpointer is who tells commits to wait, and it reads its configuration before a checkpoint.
        try scene.sql("checkpoint")
        scene.write("", to: "gate")
        let stuck = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
        try await wait { try scene.sql(stuck) != "0" }
        try await wait { process.errorOutput.contains("withdraw_intents: 55P03") }
        // A change, which each look tries to take.
        try scene.sql("set synchronous_commit = local; insert into nudged.touched (user_id) values (gen_random_uuid())")
        try await wait { process.errorOutput.contains("commits wait for a synchronous standby that is away") }
        // Each of its four connections has left one session at most, whatever it tries.
        #expect((Int(try scene.sql(stuck)) ?? 9) <= 4)
        try scene.sql("alter system reset synchronous_standby_names")
        try scene.sql("select pg_reload_conf()")
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try await wait { try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "1" }
        #expect(try scene.sql("select count(*) from nudged.delivery") == "1")
        try await scene.stop(process)
        #expect(scene.accepted().values.allSatisfy { $0 == 1 })
    }
}
