import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The standby is promoted while the old primary lives on (docs/FAULTS.md, "Failover").
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SplitBrainLongTests {
    /// Two primaries at once: the old one has no standby any more, so it commits nothing, and nothing goes out from it.
    @Test func sweep_whenTheOldPrimaryLivesOnWithoutItsStandby_sendsNothingFromIt() async throws {
        let (pair, log) = (try ServerPair(synchronous: true), RequestLog())
        let scene = try await FailoverScene.scene(pair, log)
        let short: [String: String?] = [
            "DATABASE_STATEMENT_TIMEOUT": "2s", "SCHEDULE_LEASE": "24s", "APNS_RESPONSE_TIMEOUT": "10s",
        ]
        let socket = NotifySocket(scene.folder + "/notify")
        let old = try scene.start(
            ["run"],
            FailoverScene.settings(scene.cluster.tcpURL(database: scene.database), socket).merging(short) { $1 }
        )
        await log.reach(700)
        try pair.standby.promote()
        let open = "select count(*) from \(Scene.openUsers)"
        let left = Int(try pair.standby.sql(open, database: scene.database).dropLast()) ?? -1
        let other = NotifySocket(scene.folder + "/other")
        let new = try scene.start(
            ["run"],
            FailoverScene.settings(pair.standby.tcpURL(database: scene.database), other).merging(short) { $1 }
        )
        #expect(await FailoverScene.isServed(scene, pair.standby, other))
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
