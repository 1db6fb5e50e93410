import Configuration
import Core
import Service
import Logging
import TestSupport
import Testing
import TimeZones

/// What an idle daemon does with what comes. How long that takes on a clock: `nudged-bench idle --messages`.
@Suite(.ownThreads) struct IdleTests {
    /// One tick after the commit, whatever was before: sent to written takes at most `schedule.interval` and the time of one sweep.
    @Test(arguments: ["", ", urgent => true"])
    func message_whenTheDaemonIsIdle_goesWithTheNextTick(more: String) async throws {
        let scene = try await Scene.withReminders(2)
        let configuration = try ConfigurationLoader.load(
            environment: scene.environment(),
            checks: .system,
            standardPath: "/nonexistent"
        ).configuration
        let reporter = Reporter(Logger(label: "idle") { _ in SwiftLogNoOpLogHandler() })
        let engine = try Engine(Assembly(configuration, zones: ZoneDatabase()), reporter: reporter)
        // The first asks everyone, and what it found may outlive it; the last finds nothing.
        let due =
            "select (select count(*) from nudged.person where due_at <= now()) + (select count(*) from nudged.touched)"
        for _ in 0..<1000 {
            try await engine.pipeline.sweep()
            // Who is in hand until their settlement is known is left out by the next sweep.
            await engine.pipeline.quiesce()
            if try scene.sql(due) == "0" { break }
        }
        #expect(try scene.sql(due) == "0")
        let id = try scene.sql("select (nudged_api.send('\(Scene.user(2))', 'Ann', '\(Scene.reminderText)'\(more))).id")
        #expect(scene.accepted().isEmpty)
        try await engine.pipeline.sweep()
        #expect(await scene.simulator.waitUntil(accepted: 1))
        #expect(scene.accepted() == [Scene.token(2): 1])
        await engine.finish()
        #expect(
            try scene.lines("select key, outcome from nudged.delivery where kind = 'message'") == ["\(id)|accepted"]
        )
    }
}
