import APNsSimulator
import Glibc
import LocalPostgres
import Synchronization
import TestSupport
import Testing

/// `nudged pause`, `resume` and `replan` beside real daemons.
@Suite(.ownThreads) struct PauseTests {
    private static let due = "select count(*) from nudged.person where due_at <= now()"

    /// Until the pause, Apple takes its time: most of the claimed users wait for a stream when the switch falls.
    @Test func pause_whenABatchWaitsToBeSent_stopsIt() async throws {
        let isSlow = Mutex(true)
        let scene = try await Scene(perDevice: { _, _ in
            .delay(.milliseconds(isSlow.withLock { $0 } ? 500 : 0), then: .accept)
        })
        let users = 600
        try scene.seedDue(users)
        let daemons = try (0..<2).map { _ in try scene.startFast(["APNS_MAX_IN_FLIGHT": "5"]) }
        #expect(await eventually { scene.simulator.counts.accepted > 20 })
        try await scene.nudged(["pause", "check_in", "--reason", "a wrong text"]).ends(0, output: "paused check_in")
        // Both have seen it, and what was on its way is recorded.
        for daemon in daemons { #expect(await eventually { daemon.errorOutput.contains("paused: check_in") }) }
        let open = "select count(*) from nudged.intent where user_ids <> '{}'"
        #expect(try await eventually { try scene.sql(open) == "0" })
        let sent = scene.simulator.counts.accepted
        #expect(sent < users - 100, "too fast to tell")
        isSlow.withLock { $0 = false }
        // Everyone who is left was asked, and is held.
        #expect(try await eventually { try scene.sql(Self.due) == "0" })
        #expect(scene.simulator.counts.accepted == sent)
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "\(sent)")
        let status = try await scene.nudged(["status"]).ends(0, words: #"("a wrong text"); "#, " wait for it. ")
        #expect(status.words.hasPrefix("Paused: check-ins since "), "\(status.text)")
        let again = try await scene.nudged(["pause", "--json"])
        #expect(again.output.contains(#""kind":"check_in""#) && again.output.contains(#""new":false"#), "\(again.text)")
        // All are let go; everyone who was held is due, and sent to, once.
        let resumed = try await scene.nudged(["resume"]).ends()
        #expect(resumed.output.hasPrefix("resumed check_in, message, reminder: "), "\(resumed.text)")
        #expect(await eventually(within: .seconds(600)) { scene.simulator.counts.accepted >= users })
        #expect(scene.accepted().values.allSatisfy { $0 == 1 } && scene.accepted().count == users)
        #expect(try scene.sql("select count(*) from nudged.paused") == "0")
        #expect(try await scene.nudged(["resume"]).output == "nothing was paused\n")
        for daemon in daemons {
            daemon.signal(SIGTERM)
            let end = try await scene.finish(daemon)
            #expect(end.errors.contains("paused: check_in") && end.errors.contains("resumed: check_in"))
        }
    }

    @Test func replan_whenInterrupted_saysHowMany() async throws {
        let scene = try await Scene()
        try scene.sql(
            "insert into nudged.person (user_id, due_at) select gen_random_uuid(), now() + interval '1 day' from generate_series(1, 2500)"
        )
        let process = try scene.start(["replan", "--over", "1h"])
        #expect(try await eventually { try scene.sql(Self.due) == "1000" })
        process.signal(SIGINT)
        let run = try await scene.finish(process).ends(130)
        #expect(run.output.hasPrefix("interrupted: 1,000 of 1,000 users were made due"), "\(run.text)")
        #expect(try scene.sql(Self.due) == "1000")
    }
}
