import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// Signed-in users take their own messages and reminders back while a daemon sends them.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct OwnCancelLongTests {
    /// A call of a signed-in user about what they have. True: it was in time.
    struct Way: Sendable {
        /// Whether it is about messages, else about reminders.
        var isMessage = false
        let call: String

        /// One for each user, which is due at once.
        var made: String {
            let arguments =
                isMessage
                ? "send(user_id, 'Ann', '\(Scene.reminderText)', category => 'own', dedupe_key => 'own-1')"
                : "set_reminder(user_id, 'task', user_id::text, 'Water', '\(Scene.reminderText)', due_at => now())"
            return "select nudged_api.\(arguments) from public.context_profiles"
        }
    }

    static let ways = [
        Way(call: "(nudged_me.cancel(one.id)).done = 1"),
        Way(call: "(select c.done = 1 from nudged_me.cancel_reminders('task', one.subject) c)"),
        Way(call: "(select c.done = 1 from nudged_me.cancel_reminders() c)"),
        Way(call: "(nudged_me.snooze_reminder(one.id, now() + interval '1 hour')).done = 1"),
        Way(isMessage: true, call: "(select c.done = 1 from nudged_me.cancel_messages(dedupe_prefix => 'own-') c)"),
        Way(isMessage: true, call: "(select c.done = 1 from nudged_me.cancel_messages(category => 'own') c)"),
    ]

    /// Who is signed in, as the app's sessions say it.
    private static let auth = """
        create schema auth;
        create function auth.uid() returns uuid language sql stable as $$
            select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid
        $$;
        """

    /// In time: it never arrives, or for a snooze not before its new hour. Too late: it arrives, unless the daemon saw
    /// the change.
    @Test(arguments: ways) func call_whenMadeWhileSending_isInTimeOnlyIfNothingArrives(way: Way) async throws {
        let scene = try await Scene.withReminders(200, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql(Self.auth)
        let isOver = """
            (select count(*) from nudged.occurrence where due_at <= now()) + (select count(*) from nudged.message)
                + (select count(*) from nudged.intent where user_ids <> '{}') = 0
            """
        let all = try await scene.takeBack(way.made, by: way.call, isOwn: true, until: isOver)
        #expect(all.inTime.count + all.tooLate.count == 200)
        #expect(scene.accepted().values.allSatisfy { $0 == 1 })
    }
}
