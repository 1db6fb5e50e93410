import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// A sweep that lasts, and sweeps one after another.
@Suite(.ownThreads) struct SweepTests {
    /// A sweep of minutes checks for changes each second. Before its end they are drained, and a dead daemon's intents
    /// are recorded.
    @Test func changes_whenASweepLasts_areSeenBeforeItsEnd() async throws {
        let scene = try await Scene()
        try scene.seedDue(20_000)
        let slow = ["SCHEDULE_BATCH": "5", "LOG_LEVEL": "info", "SCHEDULE_INTERVAL": "3600s"]
        let process = try scene.start(["run"], slow)
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try scene.sql(
            "insert into nudged.touched (user_id) select user_id from nudged.person where user_id = '\(Scene.user(1))'"
        )
        try await scene.wait(for: "count(*) = 0 from nudged.touched", of: process)
        #expect(scene.simulator.counts.accepted < 20_000)
        process.signal(SIGTERM)
        #expect(try await scene.finish(process, within: .seconds(90)).exit == .code(0))
    }

    /// Apple never answers one push: it delays no other. Its neighbours' outcomes are recorded as they come.
    @Test func outcomes_whenOnePushOf500IsSilent_areRecordedAtOnce() async throws {
        let scene = try await Scene(perDevice: { token, _ in token == Scene.token(250) ? .silence : .accept })
        try scene.seedDue(500)
        let process = try scene.start(["run"], ["APNS_RESPONSE_TIMEOUT": "300s", "SCHEDULE_LEASE": "900s"])
        #expect(await scene.simulator.waitUntil(accepted: 499))
        let began = ContinuousClock.now
        try await scene.wait(for: "count(*) = 499 from nudged.delivery where outcome = 'accepted'", of: process)
        print("silent push: the last of 499 outcomes was recorded within \(ContinuousClock.now - began)")
        // Long before the silent one is given up.
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(try scene.lines("select o.user_id from \(Scene.openUsers)") == [Scene.user(250)])
        // Dead now, it leaves this one as unknown, and no other.
        process.signal(SIGKILL)
        _ = try await scene.finish(process)
        try scene.expireLeases()
        try await scene.once().ends()
        let outcomes = "select outcome, count(*) from nudged.delivery group by 1 order by 1"
        try scene.expect(outcomes, ["accepted|499", "unknown|1"])
    }

    /// Each run is a daemon of its own.
    @Test func text_whenSentAgainAndAgain_neverComesTwiceRunning() async throws {
        let scene = try await Scene()
        try scene.seedDue(6)
        try scene.sql(
            "delete from nudged.template; insert into nudged.template (title, body) values ('one', ''), ('two', ''), ('three', '')"
        )
        for _ in 0..<5 {
            #expect(try await scene.once().number("sent") == 6)
            try scene.rewind()
        }
        for user in 1...6 {
            let said = scene.payloads(of: user)
            #expect(said.count == 5 && zip(said, said.dropFirst()).allSatisfy { $0 != $1 }, "\(said)")
        }
        // Not all users get the same text first.
        #expect(Set((1...6).map { scene.payloads(of: $0).first ?? "" }).count > 1)
    }
}

/// What an idle daemon does with what comes. How long that takes on a clock: `nudged-bench idle --messages`.
@Suite(.ownThreads) struct IdleTests {
    /// One tick after the commit, whatever was before: sent to written takes at most `schedule.interval` and the time of one sweep.
    @Test(arguments: ["", ", urgent => true"])
    func message_whenTheDaemonIsIdle_goesWithTheNextTick(more: String) async throws {
        let scene = try await Scene.withReminders(2)
        let engine = try scene.engine()
        try await scene.sweep(engine)
        let id = try scene.sql("select (nudged_api.send('\(Scene.user(2))', 'Ann', '\(Scene.reminderText)'\(more))).id")
        #expect(scene.accepted().isEmpty)
        try await engine.pipeline.sweep()
        #expect(await scene.simulator.waitUntil(accepted: 1))
        #expect(scene.accepted() == [Scene.token(2): 1])
        await engine.finish()
        try scene.expect("select key, outcome from nudged.delivery where kind = 'message'", ["\(id)|accepted"])
    }
}

/// A cap is the user's: over all kinds, and over all daemons.
@Suite(.ownThreads) struct CapTests {
    private static let users = 60
    private static let cap = 3

    /// A check-in, a reminder and four messages for each, where three an hour are allowed.
    @Test(.timeLimit(.minutes(10))) func cap_whenKindsAndDaemonsShareIt_isNotExceeded() async throws {
        let scene = try await Scene(perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.seedDue(Self.users)
        try scene.sql(
            """
            update public.context_profiles set notification_preferences = notification_preferences || '{"max_per_hour": \(Self.cap)}';
            select nudged_api.set_reminder(user_id, 'task', user_id::text, 'Water', '', due_at => now()) from public.context_profiles
            """
        )
        // Slow enough that both have work at any time.
        let slow = ["SCHEDULE_BATCH": "8", "APNS_MAX_IN_FLIGHT": "6"]
        let daemons = try (0..<2).map { _ in try scene.startFast(slow) }
        for message in 1...4 {
            try scene.sql(
                "select count((nudged_api.send(user_id, 'Ann', 'message \(message)')).id) from public.context_profiles"
            )
            // Users who may still get something have got it before the next message.
            try await scene.wait(for: "count(*) = 0 from nudged.touched")
            let (due, open) = ("nudged.person where due_at <= now()", "nudged.intent where user_ids <> '{}'")
            try await scene.wait(for: "not exists (select from \(due)) and not exists (select from \(open))")
        }
        let accepted = scene.accepted()
        #expect(accepted.count == Self.users)
        #expect(accepted.values.allSatisfy { $0 == Self.cap }, "\(Set(accepted.values))")
        let kinds = try scene.lines("select distinct kind from nudged.delivery where outcome = 'accepted' order by 1")
        #expect(kinds == ["check_in", "message", "reminder"])
        for daemon in daemons { try await scene.stop(daemon) }
    }
}
