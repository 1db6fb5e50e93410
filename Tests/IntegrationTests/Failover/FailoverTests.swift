import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The standby is promoted in mid-sweep (docs/GUARANTEES.md, "High availability").
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(3))) struct FailoverTests {
    private static let users = 3000
    /// Whoever is asked again in a second (a push that was not written) is not served.
    private static let served = """
        select count(*) from nudged.person where due_at <= now() + interval '3 seconds' or lease_until > now() union all select count(*) from nudged.intent where user_ids <> '{}'
        """

    private static func scene(_ pair: ServerPair, _ log: RequestLog) async throws -> Scene {
        let scene = try await Scene(cluster: pair.primary) { _, _ in
            log.note()
            return .delay(.milliseconds(20), then: .accept)
        }
        try scene.seedDue(users)
        return scene
    }

    private static func settings(_ url: String, _ socket: NotifySocket) -> [String: String?] {
        [
            "DATABASE_URL": url, "NOTIFY_SOCKET": socket.path, "APNS_MAX_IN_FLIGHT": "200", "SCHEDULE_BATCH": "200",
            "SCHEDULE_INTERVAL": "200ms", "LOG_LEVEL": "info",
        ]
    }

    /// Looks at each word of the daemon's whether everyone is served.
    private static func isServed(_ scene: Scene, _ server: LocalCluster, _ socket: NotifySocket) async -> Bool {
        let (database, start) = (scene.database, ContinuousClock.now)
        defer { print("served after \(ContinuousClock.now - start)") }
        return await socket.heard(60) { _ in (try? server.psql(served, database: database)) == "0\n0\n" } != nil
    }

    /// - Parameter failures: attempts to connect that fail before the promotion: the longer the outage, the longer the pauses between them.
    @Test(arguments: [(400, 0), (1500, 0), (900, 40)])
    func sweep_whenASynchronousStandbyIsPromoted_losesAndDoublesNothing(at request: Int, failures: Int) async throws {
        let (pair, log) = (try ServerPair(synchronous: true), RequestLog())
        let scene = try await Self.scene(pair, log)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], Self.settings(pair.url(scene.database), socket))
        await log.reach(request)
        pair.primary.halt(.immediate)
        for _ in 0..<failures { #expect(await socket.heard { $0.contains("waiting for PostgreSQL: ") } != nil) }
        try pair.standby.promote()
        let promoted = ContinuousClock.now
        #expect(await Self.isServed(scene, pair.standby, socket))
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
    @Test(arguments: [false, true])
    func sweep_whenAnAsynchronousStandbyIsPromoted_repeatsWhatItHadNotGot(isBehind: Bool) async throws {
        let (pair, log) = (try ServerPair(synchronous: false), RequestLog())
        let scene = try await Self.scene(pair, log)
        // What is measured begins with everyone on the standby.
        let seeded = try pair.primary.psql("select pg_current_wal_flush_lsn()").dropLast()
        try pair.standby.psql(
            "do $$ begin while pg_last_wal_replay_lsn() < '\(seeded)' loop perform pg_sleep(0.01); end loop; end $$"
        )
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], Self.settings(pair.url(scene.database), socket))
        await log.reach(600)
        let before = log.count
        let held = isBehind ? try pair.primary.holdStreaming() : nil
        if isBehind { await log.reach(1200) }
        if let held { pair.primary.halt(withStreaming: held) } else { pair.primary.halt(.immediate) }
        let sent = log.count - before
        try pair.standby.promote()
        let promoted = ContinuousClock.now
        #expect(await Self.isServed(scene, pair.standby, socket))
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

    /// Two primaries at once: the old one has no standby any more, so it commits nothing, and nothing goes out from it.
    @Test func sweep_whenTheOldPrimaryLivesOnWithoutItsStandby_sendsNothingFromIt() async throws {
        let (pair, log) = (try ServerPair(synchronous: true), RequestLog())
        let scene = try await Self.scene(pair, log)
        let short: [String: String?] = [
            "DATABASE_STATEMENT_TIMEOUT": "1s", "SCHEDULE_LEASE": "7s", "APNS_RESPONSE_TIMEOUT": "3s",
        ]
        let socket = NotifySocket(scene.folder + "/notify")
        let old = try scene.start(
            ["run"],
            Self.settings(scene.cluster.tcpURL(database: scene.database), socket).merging(short) { $1 }
        )
        await log.reach(700)
        try pair.standby.promote()
        let open = "select coalesce(sum(cardinality(user_ids)), 0) from nudged.intent"
        let left = Int(try pair.standby.psql(open, database: scene.database).dropLast()) ?? -1
        let other = NotifySocket(scene.folder + "/other")
        let new = try scene.start(
            ["run"],
            Self.settings(pair.standby.tcpURL(database: scene.database), other).merging(short) { $1 }
        )
        #expect(await Self.isServed(scene, pair.standby, other))
        for process in [old, new] { process.signal(SIGTERM) }
        let end = try await scene.finish(new)
        #expect(end.exit == .code(0), "\(end.text)")
        _ = try await scene.finish(old, within: .seconds(30))
        let found = try Comparison(scene, pair.standby)
        print("two primaries, synchronous: \(left) pushes in open intents; \(found)")
        #expect(found.lost == 0 && found.doubled == 0 && found.unrecorded == 0, "\(found)")
        #expect(found.unknown <= left, "\(found), \(left) open")
    }
}
