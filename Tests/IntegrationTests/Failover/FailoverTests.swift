import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// The standby is promoted in mid-sweep (docs/FAULTS.md, "Failover").
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(10))) struct FailoverTests {
    /// - Parameter failures: attempts to connect that fail before the promotion: the longer the outage, the longer the pauses between them.
    @Test(arguments: [(400, 0), (1500, 0), (900, 40)])
    func sweep_whenASynchronousStandbyIsPromoted_losesAndDoublesNothing(at request: Int, failures: Int) async throws {
        let (pair, log) = (try ServerPair(synchronous: true), RequestLog())
        let scene = try await FailoverScene.scene(pair, log)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], FailoverScene.settings(pair.url(scene.database), socket))
        await log.reach(request)
        pair.primary.halt(.immediate)
        for _ in 0..<failures { #expect(await socket.heard { $0.contains("waiting for PostgreSQL: ") } != nil) }
        try pair.standby.promote()
        let promoted = ContinuousClock.now
        #expect(await FailoverScene.isServed(scene, pair.standby, socket))
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
        let scene = try await FailoverScene.scene(pair, log)
        // What is measured begins with everyone on the standby.
        let seeded = try pair.primary.sql("select pg_current_wal_flush_lsn()").dropLast()
        try pair.standby.sql(
            "do $$ begin while pg_last_wal_replay_lsn() < '\(seeded)' loop perform pg_sleep(0.01); end loop; end $$"
        )
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.start(["run"], FailoverScene.settings(pair.url(scene.database), socket))
        await log.reach(600)
        let before = log.count
        let held = isBehind ? try pair.primary.holdStreaming() : nil
        if isBehind { await log.reach(1200) }
        if let held { pair.primary.halt(withStreaming: held) } else { pair.primary.halt(.immediate) }
        let sent = log.count - before
        try pair.standby.promote()
        let promoted = ContinuousClock.now
        #expect(await FailoverScene.isServed(scene, pair.standby, socket))
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
