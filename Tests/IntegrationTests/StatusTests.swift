import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged status` beside real daemons.
@Suite(.ownThreads) struct StatusTests {
    private static let deadline = Duration.seconds(40)

    /// Asks until the page is as wanted, and returns it; the last one where that never is.
    private func status(_ scene: Scene, until isWanted: (Scene.Run) -> Bool) async throws -> Scene.Run {
        let end = ContinuousClock.now + Self.deadline
        while true {
            let run = try await scene.nudged(["status", "--json"])
            if isWanted(run) || ContinuousClock.now > end { return run }
        }
    }

    @Test func status_whenADaemonLivesIsStoppedAndIsKilled() async throws {
        let scene = try await Scene()
        #expect(try await scene.nudged(["status"]).exit == .code(69))
        let first = try scene.startFast()
        let alive = try await status(scene) { $0.exit == .code(0) }
        #expect(alive.exit == .code(0), "\(alive.text)")
        #expect(alive.number("pid") == (try Int(scene.sql("select pid from nudged.daemon"))))
        // Its work is told with the next beat.
        try scene.seedDue(3)
        let worked = try await status(scene) { $0.output.contains("\"last_work\":{") }
        #expect(worked.number("sent") != nil && worked.output.contains("\"topic\":\"\(Scene.topic)\""))
        try await scene.nudged(["status"]).ends(0, output: "lane sandbox \(Scene.topic): ")
        // A good stop takes the row back.
        try await scene.stop(first)
        #expect(try scene.sql("select count(*) from nudged.daemon") == "0")
        #expect(try await scene.nudged(["status"]).exit == .code(69))
        // A crash leaves it: it grows old.
        let second = try scene.startFast()
        _ = try await status(scene) { $0.exit == .code(0) }
        second.signal(SIGKILL)
        try await scene.finish(second)
        try scene.sql("update nudged.daemon set seen_at = now() - interval '2 minutes'")
        try await scene.nudged(["status"]).ends(69, output: "not seen for 2 min")
    }

    @Test func status_whenALaneIsStopped_saysTheRemedy() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let process = try scene.startFast()
        _ = try await status(scene) { $0.exit == .code(0) }
        try scene.seedDue(3)
        let stopped = try await status(scene) { $0.exit == .code(75) }
        #expect(stopped.exit == .code(75), "\(stopped.text)")
        let plain = try await scene.nudged(["status"])
        #expect(plain.words.hasPrefix("Does not work since "), "\(plain.text)")
        #expect(plain.words.contains(" is stopped: Apple answers InvalidProviderToken. Fix: "), "\(plain.text)")
        #expect(plain.words.contains("stopped for") && plain.words.contains("next try "), "\(plain.text)")
        try await scene.stop(process)
    }

    /// The database answers, but a view that the drain reads is gone.
    @Test func status_whenTheDrainFails_saysSoUntilItWorks() async throws {
        let scene = try await Scene()
        let process = try scene.startFast()
        _ = try await status(scene) { $0.output.contains(#""answer":"works""#) }
        try scene.sql("alter view nudged.recipient rename to recipient_2")
        // Somebody whom nudged doesn't know yet: the drain looks for them in the view.
        try scene.seedDue(1)
        let failed = try await status(scene) { $0.exit == .code(1) }
        #expect(failed.exit == .code(1) && failed.output.contains(#""statement":"drain""#), "\(failed.text)")
        let plain = try await scene.nudged(["status"])
        #expect(plain.words.hasPrefix("Does not work since "), "\(plain.text)")
        let fault = #": drain fails: 42P01 relation "nudged.recipient" does not exist. Fix: "#
        #expect(plain.words.contains(fault), "\(plain.text)")
        #expect(plain.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(plain.text)")
        try scene.sql("alter view nudged.recipient_2 rename to recipient")
        let good = try await status(scene) { $0.exit == .code(0) }
        #expect(good.exit == .code(0) && good.output.contains(#""answer":"works""#), "\(good.text)")
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try await scene.stop(process)
    }

    @Test func status_whenThereAreSeveralApps_namesEachLane() async throws {
        let scene = try await Scene()
        scene.write("apns: {apps: [{bundleId: com.example.other}]}\n", to: "nudged.yaml")
        let process = try scene.startFast(with: "--config", "\(scene.folder)/nudged.yaml")
        _ = try await status(scene) { $0.exit == .code(0) }
        let plain = try await scene.nudged(["status"])
        for topic in [Scene.topic, "com.example.other"] {
            #expect(plain.output.contains("  lane sandbox \(topic): idle"), "\(plain.text)")
        }
        try await scene.stop(process)
    }
}
