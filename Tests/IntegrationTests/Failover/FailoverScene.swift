import APNsSimulator
import Glibc
import LocalPostgres
import Testing

/// A pair of servers, a daemon that knows both, and users who are due.
enum FailoverScene {
    private static let users = 3000
    /// A user who is due again in a second (a push was not written) counts as not served.
    private static let served = """
        select count(*) from nudged.person where due_at <= now() + interval '3 seconds' union all select count(*) from nudged.intent where user_ids <> '{}'
        """

    static func scene(_ pair: ServerPair, _ log: RequestLog) async throws -> Scene {
        let scene = try await Scene(cluster: pair.primary) { _, _ in
            log.note()
            return .delay(.milliseconds(20), then: .accept)
        }
        try scene.seedDue(users)
        return scene
    }

    static func settings(_ url: String, _ socket: NotifySocket) -> [String: String?] {
        [
            "DATABASE_URL": url, "NOTIFY_SOCKET": socket.path, "APNS_MAX_IN_FLIGHT": "200", "SCHEDULE_BATCH": "200",
            "SCHEDULE_INTERVAL": "200ms", "LOG_LEVEL": "info",
        ]
    }

    /// Looks at each word of the daemon's whether everyone is served.
    static func isServed(_ scene: Scene, _ server: LocalCluster, _ socket: NotifySocket) async -> Bool {
        let (database, start) = (scene.database, ContinuousClock.now)
        defer { print("served after \(ContinuousClock.now - start)") }
        return await socket.heard(600) { _ in (try? server.sql(served, database: database)) == "0\n0\n" } != nil
    }

    /// The standby has every commit that the daemon saw.
    ///
    /// - Parameter failures: attempts to connect that fail before the promotion. A longer outage brings longer pauses
    ///   between them.
    static func promoteSynchronous(at request: Int, failures: Int) async throws {
        let (pair, log) = (try ServerPair(synchronous: true), RequestLog())
        let scene = try await scene(pair, log)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], settings(pair.url(scene.database), socket))
        await log.reach(request)
        pair.primary.halt(.immediate)
        for _ in 0..<failures { #expect(await socket.heard { $0.contains("waiting for PostgreSQL: ") } != nil) }
        try pair.standby.promote()
        let promoted = ContinuousClock.now
        #expect(await isServed(scene, pair.standby, socket))
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(run.exit == .code(0), "\(run.text)")
        let back = try #require(log.wait(after: promoted))
        let found = try Comparison(scene, pair.standby)
        print("synchronous, promoted at request \(request) after \(failures) failures: back after \(back); \(found)")
        #expect(back < .seconds(6))
        #expect(found.lost == 0 && found.doubled == 0 && found.unrecorded == 0, "\(found)")
        // The daemon lived: it kept its outcomes, and recorded them at the new primary.
        #expect(found.unknown == 0, "\(found)")
    }

    /// What the standby had not got is forgotten: those users are due again.
    static func promoteAsynchronous(isBehind: Bool) async throws {
        let (pair, log) = (try ServerPair(synchronous: false), RequestLog())
        let scene = try await scene(pair, log)
        // What is measured begins with everyone on the standby.
        let seeded = try pair.primary.sql("select pg_current_wal_flush_lsn()").dropLast()
        try pair.standby.sql(
            "do $$ begin while pg_last_wal_replay_lsn() < '\(seeded)' loop perform pg_sleep(0.01); end loop; end $$"
        )
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], settings(pair.url(scene.database), socket))
        await log.reach(600)
        let before = log.count
        let held = isBehind ? try pair.primary.holdStreaming() : nil
        if isBehind { await log.reach(1200) }
        if let held { pair.primary.halt(withStreaming: held) } else { pair.primary.halt(.immediate) }
        let sent = log.count - before
        try pair.standby.promote()
        let promoted = ContinuousClock.now
        #expect(await isServed(scene, pair.standby, socket))
        process.signal(SIGTERM)
        let run = try await scene.finish(process)
        #expect(run.exit == .code(0), "\(run.text)")
        let back = try #require(log.wait(after: promoted))
        let found = try Comparison(scene, pair.standby)
        print("asynchronous, behind \(isBehind) with \(sent) pushes: back after \(back); \(found)")
        #expect(back < .seconds(6))
        #expect(found.lost == 0 && found.most <= 2, "\(found)")
        // Nothing is repeated but what the standby had not got; in flight at the loss are 200 more.
        #expect(found.doubled <= sent + 200, "\(found)")
        if isBehind { #expect(found.doubled > 0, "\(found)") }
    }
}
