import APNsSimulator
import Glibc
import LocalPostgres
import Testing

/// What is away, missing or in the way: said once, waited for within bounds, and no reason to hang.
@Suite struct OutageTests {
    @Test func stop_whenTheDatabaseIsAway_endsWellAtOnce() async throws {
        let scene = try await Scene(migrated: false)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(
            ["run"],
            [
                "DATABASE_URL": "postgresql://postgres@127.0.0.1:1/none", "NOTIFY_SOCKET": socket.path,
                "WATCHDOG_USEC": "2000000",
            ]
        )
        #expect(socket.wait { $0.contains("waiting for PostgreSQL: ") } != nil)
        // Attempts to connect are progress: the watchdog is fed while the database is away.
        #expect(socket.wait { $0.contains("WATCHDOG=1") } != nil)
        process.signal(SIGTERM)
        #expect(try await scene.finish(process, within: .seconds(4)).exit == .code(0))
    }

    @Test func run_whenTheDatabaseIsNotMigrated_saysSoOnce() async throws {
        let scene = try await Scene(migrated: false)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], ["NOTIFY_SOCKET": socket.path, "SCHEDULE_INTERVAL": "100ms"])
        // Two reports a tick: five ticks at least.
        for _ in 0..<10 { #expect(socket.wait { $0.contains("run nudged migrate") } != nil) }
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(run.errors.occurrences(of: "run nudged migrate") == 1, "\(run.text)")
        #expect(!run.errors.contains("answers again"), "\(run.text)")
    }

    @Test func once_whenAppleIsAway_givesUpAndKeepsTheWork() async throws {
        let scene = try await Scene(starts: false)
        try scene.seedDue(2)
        scene.simulator.stop()
        let run = try await scene.once(["APNS_ENDPOINT": "https://127.0.0.1:1"])
        #expect(run.exit == .code(75), "\(run.text)")
        #expect(run.number("sent") == 0 && run.errors.contains("still due"), "\(run.text)")
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") == "0")
    }

    @Test func once_whenOneUserHasManyDevices_reachesThemAll() async throws {
        let scene = try await Scene()
        try scene.seedDue(1, devices: 12)
        let run = try await scene.once()
        #expect(run.exit == .code(0) && run.number("sent") == 12, "\(run.text)")
        #expect(scene.accepted().count == 12 && scene.accepted().values.allSatisfy { $0 == 1 })
    }

    @Test func once_whenOneRowIsImpossible_servesTheOthers() async throws {
        let scene = try await Scene()
        try scene.seedDue(5)
        try scene.sql(
            """
            update public.push_tokens set created_at = '-infinity', updated_at = '-infinity' where user_id = '\(Scene.user(1))';
            update public.push_tokens set created_at = '294270-01-01', updated_at = '294270-01-01' where user_id = '\(Scene.user(2))';
            insert into nudged.person (user_id, due_at, sent) values ('\(Scene.user(3))', now(), '{294270-01-01}')
            """
        )
        let run = try await scene.once()
        #expect(run.exit == .code(0), "\(run.text)")
        #expect(run.errors.contains("the row of user \(Scene.user(3))"), "\(run.text)")
        #expect(Set(scene.accepted().keys) == Set([1, 2, 4, 5].map { Scene.token($0) }), "\(run.text)")
    }

    @Test func zones_whenThereAreNone_areMissed() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let run = try await scene.once(["TZDIR": scene.folder])
        #expect(run.errors.contains("no time-zone files in \(scene.folder)"), "\(run.text)")
    }

    @Test func migrate_whenATableHasOtherTypes_saysWhatIsWanted() async throws {
        let scene = try await Scene(migrated: false)
        try scene.sql("create table public.context_profiles (user_id text, notification_preferences jsonb)")
        let run = try await scene.nudged(["migrate"])
        #expect(run.exit == .code(78) && run.errors.contains("user_id must be a uuid"), "\(run.text)")
        #expect(!run.errors.contains("run nudged migrate"), "\(run.text)")
    }
}
