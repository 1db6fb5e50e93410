import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// What an app on Supabase does in its own tables and through its client, to the bytes that the simulated Apple takes.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct AppSideTests {
    /// The signed-in user is user 1.
    private static let auth = """
        create schema auth;
        create function auth.uid() returns uuid language sql stable as $$ select '\(Scene.user(1))'::uuid $$;
        create table auth.users (id uuid primary key);
        """

    private func scene(_ users: Int, perDevice: Scene.Answers? = nil) async throws -> Scene {
        let scene = try await Scene.withReminders(users, perDevice: perDevice)
        try scene.sql("\(Self.auth) insert into auth.users select user_id from public.context_profiles")
        try scene.sql("select nudged.watch_deleted_users()")
        return scene
    }

    private func tokens(_ scene: Scene) -> [String] { scene.simulator.snapshot().accepted.map(\.token) }

    @Test func reminder_whenASignedInUserSetsTheirOwn_arrives() async throws {
        let scene = try await scene(2)
        try scene.sql(
            """
            select nudged_me.set_reminder(
                'task', '7', 'Water', 'the plants', due_at => now(), apns => '{"badge": 1}');
            select nudged_me.set_reminder('task', '8', 'Later', '', due_at => now());
            select nudged_me.set_reminder('task', '9', 'Never', '', due_at => now())
            """
        )
        let pending = "(select id from nudged_me.list_reminders() where subject_id ="
        try scene.expect("select done from nudged_me.snooze_reminder(\(pending) '8'), now() + interval '1 hour')", "1")
        #expect(try scene.sql("select done from nudged_me.cancel(\(pending) '9'))") == "1")
        #expect(try await scene.onceWell().number("sent") == 1)
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.token == Scene.token(1))
        let name = try scene.sql("select key from nudged.delivery where outcome = 'accepted'")
        let aps = #"{"aps":{"alert":{"title":"Water","body":"the plants"},"sound":"default","badge":1},"#
        let subject = #""action":"new_conversation","subject_type":"task","subject_id":"7","#
        #expect(push.text == aps + subject + #""nudge":"\#(name)"}"#)
        #expect(try scene.sql("select subject_id from nudged_me.list_reminders()") == "8")
    }

    /// A user of auth.users is deleted while a message, a reminder and a check-in wait. The next sweep erases them.
    @Test func user_whenDeleted_getsNothingMore() async throws {
        let scene = try await scene(2)
        try scene.send(to: 1...2)
        try scene.setReminder(1)
        try scene.sql("delete from auth.users where id = '\(Scene.user(1))'")
        #expect(try await scene.onceWell().number("sent") == 1)
        #expect(tokens(scene) == [Scene.token(2)])
        #expect(try scene.sql("select count(*) from nudged.delivery where user_id = '\(Scene.user(1))'") == "0")
        #expect(try scene.sql("select count(*) from public.push_tokens") == "1")
        #expect(try scene.sql("select count(*) from nudged.person") == "1")
    }

    /// A plain upsert, without updated_at, is a registration: the quarantine ends.
    @Test func device_whenUpsertedInQuarantine_getsPushesAgain() async throws {
        let scene = try await scene(
            10,
            perDevice: { token, attempt in
                token == Scene.token(1) && attempt == 1 ? .answer(status: 400, reason: "BadDeviceToken") : nil
            }
        )
        try scene.send(to: 1...10)
        #expect(try await scene.onceWell().number("rejected") == 1)
        #expect(try scene.lines("select user_id from nudged.quarantined") == [Scene.user(1)])
        try scene.send(to: 1...1)
        #expect(try await scene.onceWell().number("sent") == 0)
        #expect(!tokens(scene).contains(Scene.token(1)))
        try scene.sql(
            """
            insert into public.push_tokens (user_id, device_token) values ('\(Scene.user(1))', '\(Scene.token(1))')
            on conflict (user_id, device_token) do update set device_token = excluded.device_token
            """
        )
        try scene.send(to: 1...1)
        #expect(try await scene.onceWell().number("sent") == 1)
        #expect(tokens(scene).filter { $0 == Scene.token(1) }.count == 1)
    }

    /// The subject's row stays, and its date is removed.
    @Test func reminder_whenItsDateIsCleared_isNotSent() async throws {
        let scene = try await scene(2)
        try scene.sql(
            """
            create table public.task (id bigint primary key, title text, due timestamptz);
            insert into public.task values (7, 'a', now()), (8, 'b', now());
            create trigger nudged_reminders after delete or update on public.task
            for each row execute function nudged_api.cancel_subject_reminders('task', 'id', '', 'due')
            """
        )
        try scene.setReminder(1, subject: "7")
        try scene.setReminder(2, subject: "8")
        try scene.sql("update public.task set due = null where id = 7; update public.task set title = 'c' where id = 8")
        #expect(try await scene.onceWell().number("sent") == 1)
        #expect(tokens(scene) == [Scene.token(2)])
        #expect(try scene.reminderRecord().sorted() == ["accepted|", "dropped|cancelled"])
    }

    /// What the app's settings show is what the daemon says of itself.
    @Test func decisionStatus_whenADaemonHasAService_isActive() async throws {
        let scene = try await DecisionScene(1) { _ in DecisionScene.answer(true) }
        try scene.sql(Self.auth)
        #expect(try scene.sql("select nudged_me.status()") == "off")
        let daemon = try scene.scene.start(["run"], scene.environment())
        try await scene.wait(daemon, for: "nudged_me.status() = 'active'")
        try await scene.scene.stop(daemon)
    }
}
