import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Reminders end to end: from `nudged_api.set_reminder` to the phone and into the record.
@Suite(.ownThreads) struct ReminderTests {
    /// The same after a kill; and a kill in the repeat ends it without another.
    @Test(arguments: ["after_intent", "handed_over", "before_settle"], [1, 2])
    func reminders_whenKilled_areRepeatedOnce(point: String, kills: Int) async throws {
        let scene = try await Scene.withReminders(30, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql(
            "select nudged_api.set_reminder(user_id, 'task', '7', 'Water', '\(Scene.reminderText)', due_at => now(), recurrence => 'FREQ=DAILY') from public.context_profiles"
        )
        var open = 0
        for left in (1...kills).reversed() {
            let small = ["APNS_MAX_IN_FLIGHT": "30", "SCHEDULE_BATCH": "30", "NUDGED_FAIL_POINT": "\(point):kill:1"]
            #expect(try await scene.nudged(["run", "--once", "--json"], small).exit == .signal(SIGKILL))
            open += try scene.openPushes()
            // Three attempts are at three instants, however slow the machine is.
            try scene.sql("update nudged.intent set attempted_at = attempted_at - interval '\(left) hours'")
            try scene.expireLeases()
        }
        #expect(open > 0)
        try await scene.once().ends()
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'unknown'") == "\(open)")
        let pushes = Dictionary(grouping: scene.simulator.snapshot().accepted, by: \.token)
        for one in pushes.values {
            #expect(one.count <= 2 && Set(one.map(\.apnsID)).count == 1 && Set(one.map(\.collapseID)).count == 1)
        }
        // Each came to its end: accepted, or unknown twice; and each series goes on.
        try scene.expect(
            "select count(*) from (select user_id from nudged.delivery where kind = 'reminder' group by user_id having count(*) filter (where outcome = 'accepted') = 1 or count(*) = 2) ended",
            "30"
        )
        #expect(try scene.sql("select count(*), min(number), max(number) from nudged.occurrence") == "30|2|2")
    }

    /// While the daemon sends, the app takes reminders back: what was in time never arrives. What was too late does, unless the daemon saw the change.
    @Test(arguments: [
        "(select case c.done when 0 then false when 1 then true end from nudged_api.cancel_reminders(null, 'task', one.subject) c)",
        "(select case c.done when 0 then false when 1 then true end from nudged_api.cancel_reminders(one.subject::uuid, 'task', one.subject) c)",
        "(select case c.done when 0 then false when 1 then true end from nudged_api.cancel(one.subject::uuid, one.id) c)",
    ]) func reminders_whenCancelledWhileSending_areEitherTakenBackOrSent(call: String) async throws {
        let scene = try await Scene.withReminders(200, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        let all = try await scene.takeBack(
            "select nudged_api.set_reminder(user_id, 'task', user_id::text, 'Water', '\(Scene.reminderText)', due_at => now()) from public.context_profiles",
            by: call,
            until: "count(*) = 0 from nudged.occurrence"
        )
        #expect(all.inTime.count + all.tooLate.count == 200)
        let dropped = "nudged.delivery where outcome = 'dropped' and reason = 'cancelled'"
        try scene.expect("select count(distinct user_id) from \(dropped)", "\(200 - scene.accepted().count)")
    }

    /// Two daemons fan out to some thousands: each user gets it once.
    @Test func everyone_whenTwoDaemonsFanOut_isToldOnce() async throws {
        let scene = try await Scene.withReminders(3000)
        try scene.everyoneIsMember()
        try await scene.once().ends()
        let daemons = try (0..<2).map { _ in try scene.startFast() }
        try scene.setReminder(1, "due_at => now() + interval '1 second', audience => 'everyone'")
        let done = """
            not exists (select from nudged.occurrence) and not exists (select from nudged.intent where user_ids <> '{}')
                and (select count(*) >= 3000 from nudged.delivery where kind = 'reminder')
            """
        try await scene.wait(for: done, of: daemons[0], within: .seconds(90))
        try await scene.stop(daemons)
        let accepted = scene.accepted()
        #expect(accepted.count == 3000 && accepted.values.allSatisfy { $0 == 1 })
        let sent = "nudged.delivery where kind = 'reminder' and outcome = 'accepted'"
        let counts = "select count(*), count(distinct user_id), count(distinct key) from \(sent)"
        try scene.expect(counts, "3000|3000|3000")
        #expect(try scene.sql("select count(*) from nudged.occurrence") == "0")
    }
}
