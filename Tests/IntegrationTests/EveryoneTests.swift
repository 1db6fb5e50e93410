import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// Reminders for everyone, end to end: each member is told once.
@Suite(.ownThreads) struct EveryoneTests {
    private func expectEachOnce(_ scene: Scene, _ users: Int) throws {
        let accepted = scene.accepted()
        #expect(accepted.count == users && accepted.values.allSatisfy { $0 == 1 })
        try scene.expect(
            "select count(*), count(distinct user_id), count(distinct key) from nudged.delivery where kind = 'reminder' and outcome = 'accepted'",
            "\(users)|\(users)|\(users)"
        )
        #expect(try scene.sql("select count(*) from nudged.occurrence") == "0")
    }

    /// Two daemons, some thousands: each exactly once.
    @Test func everyone_whenTwoDaemonsFanOut_isToldOnce() async throws {
        let scene = try await Scene.withReminders(3000)
        try scene.everyoneIsMember()
        _ = try await scene.onceWell()
        let daemons = try (0..<2).map { _ in try scene.startFast() }
        try scene.setReminder(1, "due_at => now() + interval '1 second', audience => 'everyone'")
        let done = """
            not exists (select from nudged.occurrence) and not exists (select from nudged.intent where user_ids <> '{}')
                and (select count(*) >= 3000 from nudged.delivery where kind = 'reminder')
            """
        try await scene.wait(for: done, of: daemons[0], within: .seconds(90))
        try await scene.stop(daemons)
        try expectEachOnce(scene, 3000)
    }

    /// The app's view fails. The sweep goes on for all other users, the journal names the reminder, and `status` shows
    /// it. When the view is fixed, all are told.
    @Test func everyone_whenTheViewFails_holdsUpNobodyElse() async throws {
        let scene = try await Scene.withReminders(3)
        _ = try await scene.onceWell()
        try scene.sql(
            """
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, '7'::text as subject_id, (1 / (random() * 0)::integer)::text::uuid as user_id
            """
        )
        let id = try scene.setReminder(1, "due_at => now(), audience => 'everyone'")
        try scene.sql("update nudged.occurrence set due_at = due_at - interval '2 minutes'")
        try scene.setReminder(2, subject: "8")
        let process = try scene.startFast()
        #expect(await scene.simulator.waitUntil(accepted: 1))
        #expect(scene.accepted() == [Scene.token(2): 1])
        // Who asks about somebody is answered without it, and told so.
        try await scene.nudged(["explain", Scene.user(3)]).ends(0, output: "1 reminder for everyone can't be counted")
        try await scene.nudged(["forecast", "--hours", "1", "--json"]).ends(0, output: "SQLSTATE 22012")
        let words = try await scene.nudged(["status"]).words
        let late = "for everyone 1 reminder is not fanned out to all yet, the first for"
        // It was due two minutes ago when the test began.
        #expect((2...5).contains { words.contains("\(late) \($0) min: task 7 ") }, "\(words)")
        try scene.everyoneIsMember()
        #expect(await scene.simulator.waitUntil(accepted: 4, within: .seconds(60)))
        let run = try await scene.stop(process)
        #expect(run.errors.contains("fan_out_failed") && run.errors.contains(id), "\(run.text)")
        #expect(run.errors.contains("the fan-out of the reminder about task 7 failed"), "\(run.text)")
        #expect(run.errors.contains("22012"), "\(run.text)")
        #expect(try scene.sql("select count(*) from nudged.occurrence") == "0")
    }
}
