import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// Signed-in users take their own messages and reminders back while a daemon sends them.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct OwnCancelLongTests {
    private static let message =
        "send(user_id, 'Ann', '\(Scene.reminderText)', category => 'own', dedupe_key => 'own-1')"
    private static let reminder =
        "set_reminder(user_id, 'task', user_id::text, 'Water', '\(Scene.reminderText)', due_at => now())"

    /// Who is signed in, as the app's sessions say it.
    private static let auth = """
        create schema auth;
        create function auth.uid() returns uuid language sql stable as $$
            select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid
        $$;
        """

    /// Each user has one of `made`, which is due at once. In time: it never arrives, or for a snooze not before its new
    /// hour. Too late: it arrives, unless the daemon saw the change.
    @Test(arguments: [
        (reminder, "(nudged_me.cancel(one.id)).done = 1"),
        (reminder, "(select c.done = 1 from nudged_me.cancel_reminders('task', one.subject) c)"),
        (reminder, "(select c.done = 1 from nudged_me.cancel_reminders() c)"),
        (reminder, "(nudged_me.snooze_reminder(one.id, now() + interval '1 hour')).done = 1"),
        (message, "(select c.done = 1 from nudged_me.cancel_messages(dedupe_prefix => 'own-') c)"),
        (message, "(select c.done = 1 from nudged_me.cancel_messages(category => 'own') c)"),
    ]) func call_whenMadeWhileSending_isInTimeOnlyIfNothingArrives(made: String, call: String) async throws {
        let scene = try await Scene.withReminders(200, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql(Self.auth)
        let isOver = """
            (select count(*) from nudged.occurrence where due_at <= now()) + (select count(*) from nudged.message)
                + (select count(*) from nudged.intent where user_ids <> '{}') = 0
            """
        let script = "select nudged_api.\(made) from public.context_profiles"
        let all = try await scene.takeBack(script, by: call, isOwn: true, until: isOver)
        #expect(all.inTime.count + all.tooLate.count == 200)
        #expect(scene.accepted().values.allSatisfy { $0 == 1 })
    }
}
