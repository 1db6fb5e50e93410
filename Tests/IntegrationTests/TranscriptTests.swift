import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// Each command's output, as text and as JSON, from a real database.
@Suite(.ownThreads) struct TranscriptTests {
    private static func user(_ number: Int) -> String { "'\(Scene.user(number))'" }

    // MARK: Before the first migration

    @Test func commands_whenTheDatabaseIsNotMigrated() async throws {
        // Roles belong to the cluster, so another test's migration would make them.
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        defer { cluster.stop() }
        let scene = try await Scene(migrated: false, cluster: cluster)
        let transcript = Transcript(scene, "bare")
        let user = Scene.user(1)
        try await transcript.run("status", "explain \(user)", "forecast", "report --html -", "pause", "resume")
        try await transcript.run("replan", "after-restore", "send-test --user \(user)", "migrate --dry-run", "migrate")
        try await transcript.run("migrate --dry-run", "migrate --with-templates", "status")
        try await transcript.run("status", with: ["DATABASE_URL": "postgresql://nobody@127.0.0.1:1/app"])
        try transcript.check()
    }

    // MARK: Users

    /// Users in every state, before and after a sweep.
    @Test func users_ofEachKind() async throws {
        let scene = try await Scene(perDevice: { token, _ in
            switch token {
            case Scene.token(2): .unregistered(timestamp: nil)
            case Scene.token(3): .answer(status: 413, reason: "PayloadTooLarge")
            case Scene.token(4): .answer(status: 429, reason: "TooManyRequests")
            default: nil
            }
        })
        let transcript = Transcript(scene, "users", masksSpans: true)
        try scene.seedDue(12)
        try transcript.sql(
            "twelve users are due",
            """
            insert into public.push_tokens (user_id, device_token, topic) values (\(Self.user(1)), '\(Scene.token(1, 1))', 'com.example.other'),
                (\(Self.user(1)), '\(Scene.token(1, 2))', null);
            update public.push_tokens set environment = 'production' where user_id = \(Self.user(5));
            update public.push_tokens set platform = 'android' where user_id = \(Self.user(6));
            delete from public.push_tokens where user_id = \(Self.user(7));
            update public.context_profiles set notification_preferences = null where user_id = \(Self.user(8));
            update public.context_profiles set notification_preferences
                = '{"checkins_enabled":true,"frequency":"daily","timezone":"berlin","smart_enabled":"yes"}' where user_id = \(Self.user(9));
            update public.context_profiles set timezone = 'EST', notification_preferences = '{"check_ins_enabled":true,"frequency":"daily"}'
                where user_id = \(Self.user(10));
            update public.context_profiles set notification_preferences = notification_preferences || '{"check_ins_enabled":false}'
                where user_id = \(Self.user(11));
            update public.context_profiles set first_session_complete = false where user_id = \(Self.user(12));
            select (nudged_api.send(\(Self.user(1)), '\(Scene.title)', '\(Scene.body)', urgent => true)).id;
            select (nudged_api.send(\(Self.user(1)), '\(Scene.title)', '\(Scene.body)', deliver_at => now() + interval '3 days')).id;
            select (nudged_api.send(\(Self.user(1)), '\(Scene.title)', '\(Scene.body)', deliver_local => (now() + interval '20 days')::date + time '09:00')).id;
            select (nudged_api.send(\(Self.user(7)), '\(Scene.title)', '\(Scene.body)', expires_at => now() + interval '2 days')).id;
            select nudged_api.set_reminder(\(Self.user(2)), 'task', '1', '\(Scene.title)', '\(Scene.body)', due_at => now() + interval '26 hours',
                recurrence => 'FREQ=DAILY;COUNT=5');
            select nudged_api.set_reminder(\(Self.user(2)), 'task', '2', '\(Scene.title)', '\(Scene.body)', due_local => (now() + interval '20 days')::date + time '09:00', timezone => 'Europe/Berlin');
            select nudged_api.set_reminder(\(Self.user(1)), 'task', '3', '\(Scene.title)', '\(Scene.body)', due_at => now() + interval '30 hours', audience => 'everyone');
            insert into nudged.template (domain, title, body, weight) values (null, '\(Scene.title) {missing}', '\(Scene.body)', 1);
            """
        )
        let first = (1...12).map { "explain \(Scene.user($0))" }
        for command in first { try await transcript.run(command) }
        for number in [1, 2, 7, 9] { try await transcript.run("explain \(Scene.user(number)) --json") }
        let later = try scene.sql("select to_char(now() + interval '2 days', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        let decision: [String: String?] = ["DECISION_URL": "https://localhost:1/", "DECISION_TOKEN": "x"]
        try await transcript.run("explain \(Scene.user(3))", with: decision)
        try await transcript.run("explain \(Scene.user(1)) --at \(later)")
        try await transcript.run("explain \(Scene.user(1)) --at \(later) --json")
        try await transcript.run("explain \(Scene.user(77))", "explain \(Scene.user(3)) --message Hello --body There")
        try await transcript.run("explain \(Scene.user(8)) --message Hello --urgent --json")
        // In which hour a user without a device is evaluated again depends on the minute.
        let counts = #"sed 's/"resting":{[^}]*},"skipped":0/"resting":{},"skipped":0/g'"#
        try await transcript.run("forecast --hours 3", "forecast --hours 3 --json | \(counts)", with: decision)
        try await transcript.run("after-restore", "after-restore --json", "status", "status --json")
        transcript.note("a sweep")
        #expect(try await scene.once().exit == .code(0))
        for number in [1, 2, 3, 4, 7] { try await transcript.run("explain \(Scene.user(number))") }
        try await transcript.run("explain \(Scene.user(4)) --json", "explain \(Scene.user(1)) --json")
        try await transcript.run("explain \(Scene.user(1)) --at 2026-01-05T13:00:00+01:00")
        let now = try scene.sql("select to_char(now() - interval '1 min', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        try await transcript.run("explain \(Scene.user(1)) --at \(now)", "explain \(Scene.user(1)) --at \(now) --json")
        try await transcript.run("forecast --hours 2", "status", "status --json", "replan --over 0s")
        try await transcript.run("replan --over 0s --json")
        try await transcript.run("pause message --reason 'a wrong text'", "pause --json", "status", "status --json")
        try await transcript.run("explain \(Scene.user(7))", "explain \(Scene.user(1)) --json", "forecast --hours 2")
        try await transcript.run("resume message", "resume --json", "resume", "pause checkins", "replan --over soon")
        try transcript.sql(
            "nudged forgets a user",
            "delete from nudged.person where user_id = \(Self.user(3)); delete from nudged.touched"
        )
        try await transcript.run("explain \(Scene.user(3))", "replan --over 0s", "after-restore --yes")
        try await transcript.run("after-restore --yes --json")
        try transcript.sql(
            "the app forgets a user",
            "delete from public.context_profiles where user_id = \(Self.user(4)); delete from public.push_tokens where user_id = \(Self.user(4)); delete from nudged.person where user_id = \(Self.user(4)); delete from nudged.touched"
        )
        try await transcript.run("explain \(Scene.user(4))", "explain \(Scene.user(4)) --json")
        try transcript.check()
    }

    @Test func sendTest_byApplesAnswers() async throws {
        let scene = try await Scene(perDevice: { token, _ in
            switch token {
            case Scene.token(1, 1): .answer(status: 400, reason: "BadDeviceToken")
            case Scene.token(1, 2): .unregistered(timestamp: nil)
            case Scene.token(1, 3): .answer(status: 400, reason: "DeviceTokenNotForTopic")
            case Scene.token(1, 4): .answer(status: 429, reason: "TooManyRequests")
            case Scene.token(1, 5): .answer(status: 503, reason: "ServiceUnavailable")
            case Scene.token(1, 6): .answer(status: 413, reason: "PayloadTooLarge")
            case Scene.token(2): .answer(status: 403, reason: "InvalidProviderToken")
            default: nil
            }
        })
        try scene.seedDue(2, devices: 8)
        try scene.sql(
            "update public.push_tokens set topic = 'com.example.other' where device_token = '\(Scene.token(1, 7))'"
        )
        let transcript = Transcript(scene, "send-test")
        try await transcript.run("send-test --token nothing", "send-test --user \(Scene.user(1))")
        try await transcript.run("send-test --user \(Scene.user(1)) --json", "send-test --user \(Scene.user(9))")
        try await transcript.run("send-test", "send-test --token x --title ' '")
        try scene.sql("update public.push_tokens set topic = 'com.example.other'")
        try await transcript.run("send-test --user \(Scene.user(1))")
        try scene.sql("delete from public.push_tokens")
        try await transcript.run("send-test --user \(Scene.user(1))")
        let token = Scene.token(5).replacing("c0ffee", with: "c0ffed")
        try await transcript.run("send-test --token \(token)", with: ["APNS_ENVIRONMENT": "production"])
        try await transcript.run("send-test --token \(token)", with: ["APNS_ENDPOINT": "https://localhost:1"])
        try transcript.check()
    }

    // MARK: Daemons

    private static func lane(_ state: String, _ more: String = "") -> String {
        "jsonb_build_object('environment', 'sandbox', 'topic', '\(Scene.topic)', 'state', '\(state)', 'since', \(ago("5 min"))\(more))"
    }

    private static func ago(_ span: String) -> String {
        "to_char((now() - interval '\(span)') at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }

    private static let failure = """
        'failure', jsonb_build_object('statement', 'drain', 'cause', '42P01 relation "nudged.recipient" does not exist',
            'remedy', 'create it again', 'since', \(ago("6 min")), 'until', null)
        """

    /// Rows as daemons write them.
    @Test func daemons_inEachState() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        #expect(try await scene.once().exit == .code(0))
        let transcript = Transcript(scene, "daemons")
        let sweep = "jsonb_build_object('at', \(Self.ago("5 s")), 'users', 0)"
        let work =
            "jsonb_build_object('at', \(Self.ago("1 h")), 'users', 430, 'sent', 1412, 'rejected', 1, 'deferred', 0, 'unknown', 0, 'milliseconds', 96)"
        let good =
            "'last_sweep', \(sweep), 'last_work', \(work), 'last_good', \(Self.ago("7 s")), 'in_flight', 7, 'lost_lines', 3, 'interval_ms', 1000"
        let stopped = Self.lane(
            "stopped",
            ", 'reason', 'InvalidProviderToken', 'remedy', 'check teamId and keyId', 'next_probe', \(Self.ago("-40 s")), 'other_server', 'push.example.com:8443'"
        )
        let states: [(String, String, String)] = [
            (
                "it works",
                "'lanes', jsonb_build_array(\(Self.lane("open")), \(Self.lane("idle")), \(Self.lane("draining"))), \(good)",
                "now()"
            ),
            (
                "it serves users",
                "'lanes', jsonb_build_array(\(Self.lane("open"))), 'users_per_minute', 18600, \(good)", "now()"
            ),
            ("a lane is stopped", "'lanes', jsonb_build_array(\(stopped)), \(good)", "now()"),
            (
                "a lane waits",
                "'lanes', jsonb_build_array(\(Self.lane("backing_off", ", 'reason', 'no route'"))), \(good)", "now()"
            ),
            (
                "a lane rests",
                "'lanes', jsonb_build_array(\(Self.lane("resting", ", 'reason', 'TooManyProviderTokenUpdates'"))), \(good)",
                "now()"
            ),
            ("the drain fails", "'lanes', jsonb_build_array(\(Self.lane("open"))), \(good), \(Self.failure)", "now()"),
            (
                "the drain failed",
                "'lanes', '[]'::jsonb, \(good), \(Self.failure.replacing("'until', null", with: "'until', \(Self.ago("2 min"))"))",
                "now()"
            ),
            ("no sweep was good", "'lanes', '[]'::jsonb, \(good.replacing("7 s", with: "10 min"))", "now()"),
            (
                "a decision service is used",
                "'decision', jsonb_build_object('state', 'using fallback', 'since', \(Self.ago("1 min")), 'reason', 'it is away'), 'lanes', '[]'::jsonb, \(good)",
                "now()"
            ),
            ("another version wrote it", "'lanes', 7", "now()"),
            ("it was not seen lately", "'lanes', '[]'::jsonb, \(good)", "now() - interval '4 min'"),
        ]
        for due in ["3 h", "-3 h"] {
            try scene.sql("update nudged.person set due_at = now() - interval '\(due)'")
            for (title, state, seen) in states {
                try transcript.sql(
                    "\(due.hasPrefix("-") ? "nobody is" : "a user is") due; \(title)",
                    """
                    delete from nudged.daemon; delete from nudged.member;
                    insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state)
                    values ('11111111-1111-4111-8111-111111111111', 'web-1', 4711, '0.1.0', now() - interval '3 h', \(seen), jsonb_build_object(\(state)));
                    insert into nudged.member (id, daemon_id) values ('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111');
                    insert into nudged.lease (member, alive_until) values ('22222222-2222-4222-8222-222222222222', now() + interval '1 hour 40 s');
                    update nudged.range set owner = '22222222-2222-4222-8222-222222222222' where id <> 31
                    """
                )
                try await transcript.run("status", "explain \(Scene.user(1)) | head -1")
                if due == "3 h" {
                    try await transcript.run("status --json")
                    try await transcript.run("explain \(Scene.user(1)) --json | grep -o '\"in_the_way.*\"no_device'")
                }
            }
        }
        try transcript.sql(
            "two daemons, and pauses",
            """
            insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state)
            values ('33333333-3333-4333-8333-333333333333', 'web-2', 4712, '0.2.0', now() - interval '1 h', now(), jsonb_build_object(\(states[0].1)));
            update nudged.daemon set seen_at = now(), state = jsonb_build_object(\(states[5].1)) where host = 'web-1';
            insert into nudged.paused (kind, since, held_since, by_whom, reason) values ('check_in', now() - interval '4 h', now() - interval '4 h', 'anna@web-1', 'wrong text');
            """
        )
        try await transcript.run("status", "after-restore", "after-restore --yes")
        try await transcript.run("after-restore --yes --json --while-daemons-run")
        try transcript.sql(
            "the failure is over",
            "update nudged.daemon set state = jsonb_build_object(\(states[0].1)), seen_at = now(); update nudged.person set due_at = now() + interval '3 h'"
        )
        try await transcript.run("status", "status --json", "explain \(Scene.user(1))")
        try transcript.sql(
            "two kinds are paused",
            "insert into nudged.paused (kind, since, held_since, by_whom) values ('message', now() - interval '50 h', now() - interval '50 h', 'bob@web-2'); update nudged.daemon set seen_at = now()"
        )
        try await transcript.run("status", "status --json")
        try transcript.sql(
            "a resume was interrupted, a reminder for everyone is late, and a view reads another table",
            """
            update nudged.paused set resumed_at = now() - interval '10 min';
            select nudged_api.set_reminder(\(Self.user(1)), 'task', '42', '\(Scene.title)', '\(Scene.body)', due_at => now() + interval '1 h', audience => 'everyone');
            update nudged.occurrence set due_at = now() - interval '20 min' where is_fan_out;
            update nudged.daemon set seen_at = now()
            """
        )
        try await transcript.run("status", "status --json")
        try transcript.check()
    }

    // MARK: Doctor

    /// The findings of the database, Apple and the decision service. The others depend on the machine.
    @Test func doctor_ofADatabaseWithFaults() async throws {
        let (scene, cluster, daemon) = try await DoctorScene.daemonsRole()
        defer { cluster.stop() }
        let transcript = Transcript(scene, "doctor")
        try await transcript.doctor(daemon)
        try transcript.sql(
            "rights, views, tables and rows are wrong",
            """
            create role anon; create role authenticated;
            grant select on nudged.setting, nudged.device to anon; grant usage on schema nudged to authenticated;
            grant execute on all functions in schema nudged_api to authenticated;
            revoke insert on nudged.intent from nudged_daemon; revoke execute on function nudged.maintain_delivery from nudged_daemon;
            revoke insert on public.push_tokens from nudged_writer;
            alter function nudged.write_device owner to postgres;
            alter table nudged.touched disable row level security; alter table nudged.touched set (autovacuum_enabled = off);
            alter table public.push_tokens disable row level security; grant select on public.push_tokens to authenticated;
            alter table public.push_tokens disable trigger nudged_device_inserted;
            drop view nudged.subject_member cascade;
            create view nudged.subject_member as select 't'::text as subject_type, 1::bigint as subject_id, gen_random_uuid() as user_id;
            insert into public.context_profiles (user_id, timezone) values (\(Self.user(1)), 'CET'), (\(Self.user(2)), 'Mars/Base');
            delete from nudged.touched; delete from nudged.person;
            insert into nudged.paused (kind, by_whom) values ('message', 'anna');
            alter role nudged_daemon bypassrls;
            """
        )
        try await transcript.doctor(daemon)
        try transcript.sql(
            "the role may not use the schema",
            "revoke usage on schema nudged from nudged_daemon, public"
        )
        try await transcript.doctor(daemon)
        try await transcript.doctor(["DATABASE_URL": "postgresql://nobody@127.0.0.1:1/app?sslmode=require"])
        try await transcript.doctor(["DATABASE_URL": cluster.tcpURL(database: "nowhere")])
        try await transcript.doctor([
            "DATABASE_URL": cluster.tcpURL(database: "template1"), "APNS_ENDPOINT": "https://localhost:1",
        ])
        try DoctorScene.script(scene, key: "OTHERKEY99")
        try await transcript.doctor([
            "DATABASE_URL": nil, "DECISION_URL": "https://localhost:1/", "DECISION_TOKEN": "x",
        ])
        try await transcript.doctor(["DECISION_URL": "https://localhost:1/", "DECISION_TOKEN": "x"])
        try transcript.check()
    }
}
