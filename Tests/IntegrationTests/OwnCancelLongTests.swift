import APNsSimulator
import Glibc
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

    private func scene(_ way: Way) async throws -> Scene {
        let scene = try await Scene.withReminders(200, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql("\(Self.auth) create table asked (subject text, token text, id uuid, in_time boolean)")
        try scene.sql("insert into asked (subject, token) select user_id::text, device_token from public.push_tokens")
        try scene.sql(way.made)
        try scene.sql("update asked set id = r.id from nudged.reminder r where r.subject_id = asked.subject")
        return scene
    }

    /// In time: it never arrives, or for a snooze not before its new hour. Too late: it arrives, unless the daemon saw
    /// the change.
    @Test(arguments: ways) func call_whenMadeWhileSending_isInTimeOnlyIfNothingArrives(way: Way) async throws {
        let scene = try await scene(way)
        let isOver = """
            (select count(*) from nudged.occurrence where due_at <= now()) + (select count(*) from nudged.message)
                + (select count(*) from nudged.intent where user_ids <> '{}') = 0
            """
        try await scene.whileSending(
            """
            perform set_config('request.jwt.claim.sub', one.subject, false);
            update asked set in_time = \(way.call) where token = one.token
            """,
            until: isOver
        )
        let taken = scene.accepted()
        #expect(taken.values.allSatisfy { $0 == 1 })
        let inTime = try scene.lines("select token from asked where in_time")
        #expect(inTime.allSatisfy { taken[$0] == nil })
        print("\(inTime.count) of 200 in time")
        #expect(inTime.count > 0 && inTime.count < 200)
    }
}
