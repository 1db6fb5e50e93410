import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

/// Reminders end to end: from `nudged_api.set_reminder` to the phone and into the record.
@Suite(.ownThreads) struct ReminderTests {
    @Test func reminder_whenItsHourCame_arrivesOnceWithItsSubject() async throws {
        let scene = try await Scene.withReminders(2)
        try scene.setReminder(2)
        try scene.setReminder(1, "due_at => now() + interval '1 hour'")
        let id = try scene.sql("select id from nudged.occurrence where user_id = '\(Scene.user(2))'")
        #expect(try await scene.onceWell().number("sent") == 1)
        let push = try #require(scene.simulator.snapshot().accepted.first)
        #expect(push.token == Scene.token(2) && push.collapseID?.isEmpty == false && push.priority == 10)
        let payload = try JSONValue(parsing: push.payload)
        #expect(payload["aps"]?["alert"]?["title"] == .string("Water"))
        #expect(payload["subject_type"] == .string("task") && payload["subject_id"] == .string("7"))
        let record = "select kind, key, outcome, slot is null from nudged.delivery where kind = 'reminder'"
        try scene.expect(record, ["reminder|\(id)|accepted|t"])
        #expect(try scene.sql("select user_id from nudged.occurrence") == Scene.user(1))
        #expect(try await scene.onceWell().number("sent") == 0)
        // Set again, it replaces itself on the phone, as another nudge.
        try scene.setReminder(2)
        _ = try await scene.onceWell()
        let pushes = scene.simulator.snapshot().accepted
        #expect(Set(pushes.map(\.collapseID)).count == 1 && Set(pushes.map(\.apnsID)).count == 2)
    }

    /// What the call measures is what is sent.
    @Test(arguments: [
        "null", #"'{"badge": 1, "category": "c", "thread_id": "t", "interruption_level": "time-sensitive"}'"#,
        #"'{"data": {"conversation_id": "00000000-0000-0000-0000-0000000000ab", "domain": "x", "n": 1.50}, "image_url": "https://example.com/a"}'"#,
    ]) func payload_whenAReminderIsRendered_isAsTheCallMeasuresIt(apns: String) async throws {
        let scene = try await Scene.withReminders(1)
        try scene.sql("update nudged.person set due_at = now()")
        let title = "E'q\"\\\\ \\t\\x01 ü 👋'"
        try scene.sql(
            "select nudged_api.set_reminder('\(Scene.user(1))', 'ta\"sk', E'ü\\n/', \(title), 'x', due_at => now(), apns => \(apns))"
        )
        let bytes = try scene.sql(
            """
            select nudged.payload_bytes(title, body, apns -> 'data', false, apns ->> 'category', apns ->> 'thread_id', apns) + octet_length(',"subject_type":') + octet_length(to_json(subject_type)::text)
                + octet_length(',"subject_id":') + octet_length(to_json(subject_id)::text) from nudged.occurrence
            """
        )
        _ = try await scene.onceWell()
        #expect(scene.simulator.snapshot().accepted.map(\.payload.count) == [Int(bytes)])
    }

    /// The daemon's own role is enough, also for a fan-out.
    @Test func reminder_whenTheDaemonIsNudgedDaemon_arrives() async throws {
        let scene = try await Scene.withReminders(3)
        try scene.everyoneIsMember()
        try scene.sql("alter role nudged_daemon login password '\(Scene.password)'")
        try scene.setReminder(1, "due_at => now(), audience => 'everyone', recurrence => 'FREQ=DAILY'")
        let url = scene.cluster.tcpURL(database: scene.database, user: "nudged_daemon")
        #expect(try await scene.onceWell(["DATABASE_URL": url]).number("sent") == 3)
        #expect(try scene.lines("select is_fan_out, number from nudged.occurrence") == ["t|2"])
    }

    @Test func reminder_whenItRecurs_comesAgain() async throws {
        let scene = try await Scene.withReminders(1)
        try scene.sql("update public.context_profiles set timezone = 'Europe/Berlin'")
        let wall = "date '\(try scene.sql("select (now() at time zone 'Europe/Berlin')::date"))'"
        try scene.setReminder(1, "due_at => now(), recurrence => 'FREQ=DAILY;COUNT=3'")
        _ = try await scene.onceWell()
        let next = "select number, due_local::date - \(wall), due_local = planned_local, due_at from nudged.occurrence"
        try scene.expect(next, "2|1|t|")
        let dueAt = try scene.sql("select due_at <= now() + interval '25 hours' and due_at > now() from nudged.person")
        #expect(dueAt == "t")
        // Its hour, by moving the row: two days of nobody there; they count.
        try scene.sql(
            """
            update nudged.occurrence set due_local = due_local - interval '3 days', planned_local = planned_local - interval '3 days', first_local = first_local - interval '3 days';
            update nudged.person set due_at = now()
            """
        )
        _ = try await scene.onceWell()
        #expect(try scene.lines("select number from nudged.occurrence") == [], "2 was told late, 3 and more went by")
        #expect(scene.simulator.snapshot().accepted.count == 2)
        #expect(try scene.sql("select count(distinct key) from nudged.delivery where kind = 'reminder'") == "2")
    }

    /// Accepted with a warning. Users who chose the hour are told in their own night.
    @Test func reminder_whenItLiesInTheAuthorsNight_isToldAllTheSame() async throws {
        let scene = try await Scene.withReminders(2)
        try scene.everyoneIsMember()
        try scene.sql(
            """
            update public.context_profiles set notification_preferences = jsonb_build_object(
                'quiet_hours_start', to_char((now() - interval '1 hour') at time zone 'UTC', 'HH24:MI'),
                'quiet_hours_end', to_char((now() + interval '2 hours') at time zone 'UTC', 'HH24:MI'))
            """
        )
        let warnings = try scene.sql(
            """
            select warnings from nudged_api.set_reminder('\(Scene.user(1))', 'task', '7', 'x', '', due_local => (now() at time zone 'UTC')::timestamp(0), audience => 'everyone')
            """
        )
        #expect(warnings.contains("quiet hours"))
        #expect(try await scene.onceWell().number("sent") == 1)
        #expect(scene.accepted() == [Scene.token(1): 1], "the other sleeps")
        #expect(try scene.sql("select user_id from nudged.occurrence") == Scene.user(2))
    }

    @Test func reminder_whenSnoozedReplacedOrCancelled_keepsToIt() async throws {
        let scene = try await Scene.withReminders(4)
        let id = try scene.setReminder(1, subject: "1")
        try scene.expect("select done from nudged_api.snooze_reminder(null, '\(id)', now() + interval '1 hour')", "1")
        try scene.setReminder(2, subject: "2")
        try scene.setReminder(2, "due_at => now() + interval '1 hour'", subject: "2")
        try scene.setReminder(3, subject: "3")
        #expect(try scene.sql("select done from nudged_api.cancel_reminders(null, 'task', '3')") == "1")
        // The subject is deleted, and with it its reminder.
        try scene.sql(
            """
            create table public.task (id bigint primary key); insert into public.task values (4);
            create trigger nudged_reminders after delete or update on public.task
            for each row execute function nudged_api.cancel_subject_reminders('task', 'id');
            """
        )
        try scene.setReminder(4, subject: "4")
        try scene.sql("delete from public.task")
        #expect(try await scene.onceWell().number("sent") == 0)
        #expect(try scene.lines("select subject_id from nudged.occurrence order by 1") == ["1", "2"])
        try scene.expect(
            "select right(user_id::text, 1), outcome, reason from nudged.delivery where kind = 'reminder' order by 1",
            ["2|dropped|replaced", "3|dropped|cancelled", "4|dropped|cancelled"]
        )
    }

    // MARK: Unknown

    /// Promise 2: an unknown reminder is repeated once, with the same ids; a second unknown is final.
    @Test(arguments: [1, 2]) func reminder_whenAppleIsSilent_isRepeatedOnce(silences: Int) async throws {
        let scene = try await Scene.withReminders(1, perDevice: { _, attempt in attempt <= silences ? .silence : nil })
        try scene.setReminder(1, "due_at => now(), recurrence => 'FREQ=DAILY'")
        let run = try await scene.onceWell(Scene.impatient)
        let unknown = "unknown|no_answer_in_time"
        #expect(try scene.reminderRecord() == [unknown, silences == 1 ? "accepted|" : unknown], "\(run.text)")
        let ids = "select count(distinct apns_id), count(distinct key) from nudged.delivery where kind = 'reminder'"
        try scene.expect(ids, "1|1")
        #expect(try scene.states().values.map(\.history.sent.count) == [1])
        #expect(try scene.sql("select retry is null from nudged.person") == "t")
        #expect(try scene.lines("select number from nudged.occurrence") == ["2"], "and the series goes on")
    }

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
        _ = try await scene.onceWell()
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

    // MARK: Asked, paused, restored

    @Test func forecast_whenRemindersCome_countsThem() async throws {
        let scene = try await Scene.withReminders(5)
        try scene.everyoneIsMember()
        _ = try await scene.onceWell()
        try scene.setReminder(1, "due_at => now() + interval '90 minutes', audience => 'everyone'")
        let id = try scene.setReminder(
            2,
            "due_at => now() + interval '1 hour', recurrence => 'FREQ=DAILY'",
            subject: "8"
        )
        let forecast = try await scene.nudged(["forecast", "--hours", "48", "--json"])
        #expect(forecast.output.contains(#""by_kind":{"check_in":0,"message":0,"reminder":7}"#), "\(forecast.text)")
        let plain = try await scene.nudged(["explain", Scene.user(2)])
        let row = try scene.sql("select id from nudged.occurrence where reminder_id = '\(id)'")
        #expect(plain.output.contains("next reminder") && !plain.output.contains(row), "\(plain.text)")
        let hour = "select to_char(due_at, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from nudged.occurrence where"
        let then = try scene.sql("\(hour) id = '\(row)'")
        let future = try await scene.nudged(["explain", Scene.user(2), "--at", then])
        let sent = "a reminder is sent to 1 device"
        future.ends(0, words: "send reminder \(row)", "about task 8, due", "every day", sent)
        // What everyone is told has no row of theirs yet. The own one is sent before.
        let everyones = try await scene.nudged(["explain", Scene.user(2), "--at", try scene.sql("\(hour) is_fan_out")])
        everyones.ends(0, words: "about task 7, due", "before that 20", "a reminder, to 1 device")
        #expect(!everyones.words.contains("about task 8, due"), "\(everyones.text)")
        let json = try await scene.nudged(["explain", Scene.user(2), "--at", then, "--json"])
        #expect(json.output.contains(#""subject_type":"task","subject_id":"8""#), "\(json.text)")
        #expect(json.output.contains(#""recurrence":"FREQ=DAILY","is_own":true,"is_cancelled":false"#), "\(json.text)")
        for run in [forecast, plain, future, everyones, json] { #expect(!run.text.contains("planted")) }
        let rows = try scene.sql("select count(*) from nudged.occurrence where not is_fan_out")
        #expect(rows == "1", "nothing is written")
    }

    /// What an app calls its subject is not obeyed by a terminal.
    @Test func explain_whenASubjectHasControlCharacters_showsNone() async throws {
        let scene = try await Scene.withReminders(1)
        try scene.sql(
            "select nudged_api.set_reminder('\(Scene.user(1))', E'ta\\x1b[2Jsk', E'7\\n8', 'Water', '', due_at => now())"
        )
        // Whole seconds: it is due with the next one.
        try scene.sql("update nudged.occurrence set due_at = due_at - interval '5 seconds'")
        let subject = "about ta\u{FFFD}[2Jsk 7\u{FFFD}8, due"
        let run = try await scene.nudged(["explain", Scene.user(1)]).ends(0, words: subject)
        #expect(!run.output.contains("\u{1B}"), "\(run.text)")
    }

    @Test func reminder_whenItsKindIsPaused_waitsForTheResume() async throws {
        let scene = try await Scene.withReminders(2)
        try scene.everyoneIsMember()
        try await scene.nudged(["pause", "reminder"])
        try scene.setReminder(1, "due_at => now(), audience => 'everyone'")
        #expect(try await scene.onceWell().number("sent") == 0)
        #expect(try scene.sql("select count(*) from nudged.occurrence where not is_fan_out") == "2")
        #expect(try await scene.nudged(["resume", "reminder"]).exit == .code(0))
        #expect(try await scene.onceWell().number("sent") == 2)
    }

    /// What was due before the restore may have been sent: it is not, and its series goes on.
    @Test func reminders_whenABackupWasRestored_areNotToldAgain() async throws {
        let scene = try await Scene.withReminders(2)
        try scene.everyoneIsMember()
        try scene.setReminder(1, "due_at => now(), recurrence => 'FREQ=DAILY'", subject: "8")
        try scene.setReminder(2, "due_at => now(), audience => 'everyone'")
        try scene.setReminder(2, "due_at => now() + interval '2 hours'", subject: "9")
        // Well before, whichever second it is.
        try scene.sql(
            """
            update nudged.occurrence set due_at = due_at - interval '5 seconds', first_at = first_at - interval '5 seconds' where subject_id <> '9'
            """
        )
        try await scene.nudged(["after-restore", "--yes", "--json"]).ends()
        #expect(try await scene.onceWell().number("sent") == 0)
        #expect(try scene.reminderRecord() == Array(repeating: "dropped|restored", count: 3))
        #expect(try scene.lines("select subject_id, number from nudged.occurrence order by 1") == ["8|2", "9|1"])
    }

    /// While the daemon sends, the app takes reminders back: what was in time never arrives. What was too late does, unless the daemon saw the change.
    @Test(arguments: [
        "select c.done, c.too_late from nudged_api.cancel_reminders(null, 'task', one.subject) c",
        "select c.done, c.too_late from nudged_api.cancel_reminders(one.subject::uuid, 'task', one.subject) c",
        "select c.done, c.too_late from nudged_api.cancel(one.subject::uuid, one.id) c",
    ]) func reminders_whenCancelledWhileSending_areEitherTakenBackOrSent(call: String) async throws {
        let scene = try await Scene.withReminders(200, perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.sql(
            """
            create table asked (subject text, token text, id uuid, cancelled integer, too_late integer);
            insert into asked (subject, token) select user_id::text, device_token from public.push_tokens;
            select nudged_api.set_reminder(user_id, 'task', user_id::text, 'Water', '\(Scene.reminderText)', due_at => now()) from public.context_profiles;
            update asked set id = r.id from nudged.reminder r where r.subject_id = asked.subject
            """
        )
        try await scene.whileSending(
            "update asked set (cancelled, too_late) = (\(call)) where subject = one.subject",
            until: "count(*) = 0 from nudged.occurrence"
        )
        let taken = Set(scene.accepted().keys)
        let asked = try scene.lines("select token, cancelled from asked").map {
            $0.split(separator: "|").map(String.init)
        }
        #expect(asked.count == 200 && asked.allSatisfy { $0[1] == "0" || !taken.contains($0[0]) })
        let inTime = asked.count { $0[1] == "1" }
        print("\(inTime) of 200 taken back")
        #expect(inTime > 0 && inTime < 200)
        try scene.expect(
            "select count(distinct user_id) from nudged.delivery where outcome = 'dropped' and reason = 'cancelled'",
            "\(200 - taken.count)"
        )
    }
}
