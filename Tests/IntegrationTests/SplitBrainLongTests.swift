import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The standby is promoted while the old primary lives on (docs/FAULTS.md, "Failover"). The faults' rows
/// `standby-promoted-…` have the promotions of a primary that is gone.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SplitBrainLongTests {
    private static let users = 3000

    /// Two primaries at once: the old one has no standby any more, so it commits nothing, and nothing goes out from it.
    @Test func sweep_whenTheOldPrimaryLivesOnWithoutItsStandby_sendsNothingFromIt() async throws {
        let options = LocalCluster.Options(password: Scene.password, settings: ["synchronous_commit": "on"])
        let primary = try LocalCluster(options)
        let standby = try LocalCluster(standbyOf: primary, options)
        try primary.setSynchronousStandbys("standby")
        let scene = try await Scene(cluster: primary) { _, _ in .delay(.milliseconds(20), then: .accept) }
        try scene.seedDue(Self.users)
        func start(_ server: LocalCluster, _ socket: NotifySocket) throws -> ChildProcess {
            let settings = [
                "DATABASE_URL": server.tcpURL(database: scene.database), "NOTIFY_SOCKET": socket.path,
                "APNS_MAX_IN_FLIGHT": "200", "SCHEDULE_BATCH": "200", "SCHEDULE_INTERVAL": "200ms", "LOG_LEVEL": "info",
                "DATABASE_STATEMENT_TIMEOUT": "2s", "SCHEDULE_LEASE": "24s", "APNS_RESPONSE_TIMEOUT": "10s",
            ]
            return try scene.start(["run"], settings)
        }
        let old = try start(primary, NotifySocket(scene.folder + "/notify"))
        #expect(await scene.simulator.waitUntil(accepted: 700))
        try standby.promote()
        let open = "select count(*) from \(Scene.openUsers)"
        let left = Int(try standby.sql(open, database: scene.database).dropLast()) ?? -1
        let words = NotifySocket(scene.folder + "/other")
        let new = try start(standby, words)
        // Looks at each word of the daemon's. A user who is due again in a second was not served.
        let served = """
            select count(*) from nudged.person where due_at <= now() + interval '3 seconds'
            union all select count(*) from nudged.intent where user_ids <> '{}'
            """
        #expect(words.wait(600) { _ in (try? standby.sql(served, database: scene.database)) == "0\n0\n" } != nil)
        for process in [old, new] { process.signal(SIGTERM) }
        try await scene.finish(new).ends()
        _ = try await scene.finish(old, within: .seconds(30))
        try compare(scene, standby, open: left)
        standby.stop()
        primary.stop()
    }

    /// Apple's log beside the record, once everyone has been served.
    private func compare(_ scene: Scene, _ server: LocalCluster, open: Int) throws {
        let accepted = scene.accepted()
        let rows = try server.sql(
            """
            select t.device_token,
                count(*) filter (where d.outcome = 'accepted'), count(*) filter (where d.outcome = 'unknown')
            from public.push_tokens t left join nudged.delivery d on d.user_id = t.user_id
                and d.device_hash = left(encode(sha256(convert_to(lower(t.device_token), 'UTF8')), 'hex'), 16)
            group by 1
            """,
            database: scene.database
        ).split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        #expect(rows.count == Self.users)
        let unknown = rows.count { $0[2] != "0" }
        print("two primaries, synchronous: \(open) pushes in open intents, \(unknown) unknown")
        #expect(unknown <= open)
        #expect(rows.count { accepted[$0[0]] == nil && $0[2] == "0" } == 0, "lost")
        #expect(rows.count { accepted[$0[0]] != nil && $0[1] == "0" && $0[2] == "0" } == 0, "not recorded")
        #expect(accepted.values.allSatisfy { $0 == 1 }, "doubled")
    }
}
