import Postgres
import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct SetReminderTests {
    @Test func set_whenForMyself_isOneRowOfMine() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => '2040-01-02 03:04:05.25Z'")
        #expect(set.warnings == "{}")
        let row = try fixture.sql(
            """
            select right(user_id::text, 2), reminder_id, right(author_id::text, 2), subject_type, subject_id, title, body, due_at, due_local,
                is_fan_out, is_own, recurrence, number, first_at, first_local, planned_local, wakes_at
            from nudged.occurrence
            """
        )
        // Whole seconds, and never before the one that was asked for.
        #expect(
            row == "01|\(set.id)|01|task|7|Water|the plants|2040-01-02 03:04:06+00||f|t||1||||2040-01-02 03:04:06+00"
        )
        try fixture.expect(
            "select right(user_id::text, 2), subject_type, subject_id, id from nudged.reminder",
            "01|task|7|\(set.id)"
        )
        #expect(try fixture.touched() == ["01"])
    }

    @Test func set_whenForEveryone_isAFanOutOfTheAuthors() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, '7'::text as subject_id, user_id from public.context_profiles
            """
        )
        let set = try fixture.setReminder("due_local => '2040-01-02 09:00', audience => 'everyone'")
        #expect(set.warnings == "{}")
        try fixture.expect(
            "select right(user_id::text, 2), is_fan_out, is_own, due_local, wakes_at from nudged.occurrence",
            "01|t|f|2040-01-02 09:00:00|2040-01-01 19:00:00+00"
        )
    }

    @Test func set_whenItRecurs_knowsItsFirst() async throws {
        let fixture = try await F.withUsers()
        let columns = "select recurrence, number, first_at, first_local, planned_local, timezone from nudged.occurrence"
        _ = try fixture.setReminder(
            "due_at => '2040-01-02 09:00Z', recurrence => 'FREQ=DAILY', timezone => 'Europe/Berlin'"
        )
        #expect(try fixture.sql(columns) == "FREQ=DAILY|1|2040-01-02 09:00:00+00|||Europe/Berlin")
        _ = try fixture.setReminder("due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY'")
        #expect(try fixture.sql(columns) == "FREQ=DAILY|1||2040-01-02 09:00:00|2040-01-02 09:00:00|")
    }

    @Test func set_whenRolledBack_wasNever() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql("begin; select nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'a', 'b', now()); rollback")
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "0")
        #expect(try fixture.touched().isEmpty)
    }

    /// One lives per author and subject: another author's, and another subject's, stay.
    @Test func set_whenOneLives_replacesItAndSaysSoInTheRecord() async throws {
        let fixture = try await F.withUsers()
        let other = try fixture.setReminder(by: 2)
        let elsewhere = try fixture.setReminder(about: "8")
        _ = try fixture.setReminder("due_at => now() + interval '1 day', recurrence => 'FREQ=DAILY'")
        let old = try fixture.sql(
            "select id from nudged.occurrence where subject_id = '7' and right(user_id::text, 2) = '01'"
        )
        // A copy that one of everyone has is replaced as well.
        try fixture.sql(
            """
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
            select \(F.quoted(3)), reminder_id, author_id, subject_type, subject_id, title, body, due_at, false from nudged.occurrence where id = '\(old)'
            """
        )
        try fixture.forgetTouches()
        let new = try fixture.setReminder("due_at => now() + interval '2 days'")
        #expect(new.warnings == "{}")
        #expect(
            try Set(fixture.lines("select reminder_id from nudged.occurrence")) == [other.id, elsewhere.id, new.id]
        )
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "3")
        #expect(try Set(fixture.lines("select id from nudged.reminder")) == [other.id, elsewhere.id, new.id])
        try fixture.expect(
            "select right(user_id::text, 2), kind, outcome, reason, key = '\(old)' from nudged.delivery order by 1",
            ["01|reminder|dropped|replaced|t", "03|reminder|dropped|replaced|f"]
        )
        #expect(try fixture.touched() == ["01", "03"])
    }

    @Test func set_whenTheReplacedOneIsOnItsWay_saysSoAndLeavesIt() async throws {
        let fixture = try await F.withUsers()
        let old = try fixture.setReminder()
        try fixture.openIntent()
        let new = try fixture.setReminder()
        #expect(new.warnings.hasPrefix("{\"replaced_too_late: "))
        #expect(try Set(fixture.lines("select reminder_id from nudged.occurrence")) == [old.id, new.id])
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "0")
    }

    /// Two at once: the second waits for the first's commit, and replaces it.
    @Test(.timeLimit(.minutes(10))) func set_whenTwoDoItAtOnce_leavesOne() async throws {
        let fixture = try await F.withUsers()
        let first = try await fixture.connection()
        let second = try await first.transaction { transaction in
            try await transaction.execute(
                script:
                    "select nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'first', '', now() + interval '1 day')"
            )
            let second = Task {
                try fixture.sql(
                    "select nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'second', '', now() + interval '1 day')"
                )
            }
            try await fixture.untilSomebodyWaits()
            return second
        }
        _ = try await second.value
        #expect(try fixture.sql("select title from nudged.occurrence") == "second")
        try fixture.expect(
            "select count(*) from nudged.occurrence o join nudged.reminder r on r.id = o.reminder_id",
            "1"
        )
    }

    /// The longest text that is taken, and one byte more; of characters that JSON escapes and of those of two bytes.
    @Test(arguments: ["a", "é", "\"", "\n"]) func set_whenThePayloadIsAtOrOverTheLimit_isTakenOrRefused(
        character: String
    ) async throws {
        let fixture = try await F.withUsers()
        let width = character == "a" ? 1 : 2
        let frame =
            #"{"aps":{"alert":{"title":"x","body":""},"sound":"default"},"action":"new_conversation","subject_type":"task","subject_id":"7","nudge":"00000000-0000-0000-0000-000000000000"}"#
        let room = 4096 - frame.utf8.count
        let call = { (count: Int) in
            "select * from nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'x', repeat(E'\(character == "\n" ? "\\n" : character)', \(count)), now())"
        }
        #expect(try fixture.refusal(call(room / width)) == "")
        #expect(try fixture.refusal(call(room / width + 1)).hasPrefix("22023 nudged_api.set_reminder: the payload has"))
    }

    @Test(arguments: [
        (
            "'{\"quiet_hours_start\":\"22:00\",\"quiet_hours_end\":\"08:00\"}'", ["22:00", "23:59", "00:00", "07:59"],
            ["08:00", "21:59"]
        ),
        (
            "'{\"quiet_hours_start\":\"13:00\",\"quiet_hours_end\":\"14:00\"}'", ["13:00", "13:59"],
            ["12:59", "14:00", "00:00"]
        ),
        ("'{\"quiet_hours_start\":\"13:00\",\"quiet_hours_end\":\"13:00\"}'", [], ["13:00", "00:00"]),
        ("'{\"quiet_hours_start\":\"13:00\"}'", [], ["13:00"]),
        ("'{\"quiet_hours_start\":\"1:00\",\"quiet_hours_end\":\"23:00\"}'", [], ["13:00"]),
        ("'[1]'", [], ["13:00"]), ("null", [], ["13:00"]),
    ])
    func set_whenTheHourIsQuiet_isTakenWithAWarning(preferences: String, quiet: [String], others: [String]) async throws
    {
        let fixture = try await F.withUsers()
        try fixture.sql("update public.context_profiles set notification_preferences = \(preferences)")
        for hour in quiet + others {
            let warnings = try fixture.setReminder("due_local => '2040-01-02 \(hour)'").warnings
            #expect(warnings.contains("\"quiet_hours: ") == quiet.contains(hour), "\(hour)")
            #expect(warnings.contains("author is told anyway") == quiet.contains(hour))
            let everyone = try fixture.setReminder("due_local => '2040-01-02 \(hour)', audience => 'everyone'").warnings
            #expect(everyone.contains("when these end") == quiet.contains(hour))
            // In a zone that is named, and at an instant, it is the author's own clock that counts.
            let instant = "timestamp '2040-01-02 \(hour)' at time zone 'Europe/Berlin'"
            let elsewhere = "due_local => \(instant) at time zone 'Asia/Tokyo', timezone => 'Asia/Tokyo'"
            for arguments in ["due_at => \(instant)", elsewhere] {
                let warnings = try fixture.setReminder(arguments).warnings
                #expect(warnings.contains("\"quiet_hours: ") == quiet.contains(hour), "\(arguments)")
            }
        }
    }

    @Test func set_whenNoZoneIsKnown_isTakenWithAWarning() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql("update public.context_profiles set timezone = null")
        let warned = { (arguments: String) in try fixture.setReminder(arguments).warnings.contains("\"no_timezone: ") }
        #expect(try warned("due_local => '2040-01-02 09:00'"))
        #expect(try warned("due_at => '2040-01-02 09:00', recurrence => 'FREQ=DAILY'"))
        #expect(try !warned("due_at => '2040-01-02 09:00'"))
        #expect(try !warned("due_local => '2040-01-02 09:00', audience => 'everyone'"))
        #expect(try !warned("due_local => '2040-01-02 09:00', timezone => 'Asia/Tokyo'"))
        try fixture.sql("update public.context_profiles set notification_preferences = '{\"timezone\":\"Asia/Tokyo\"}'")
        #expect(try !warned("due_local => '2040-01-02 09:00'"))
    }

    /// Taken for a wall time to come, somewhere it is one; where the author lives it is past.
    @Test func set_whenTheHourIsPastOnTheAuthorsClock_isTakenWithAWarning() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql("update public.context_profiles set timezone = 'Asia/Tokyo'")
        let warned = { (arguments: String) in
            try fixture.setReminder("due_local => \(arguments)").warnings.contains("\"past_hour: ")
        }
        #expect(try warned("(now() at time zone 'Asia/Tokyo') - interval '1 minute'"))
        #expect(try !warned("(now() at time zone 'Asia/Tokyo') + interval '1 minute'"))
        // It comes elsewhere.
        #expect(try !warned("(now() at time zone 'Asia/Tokyo') - interval '1 minute', audience => 'everyone'"))
        #expect(try !warned("(now() at time zone 'UTC') + interval '1 minute', timezone => 'UTC'"))
    }

    /// The first zone that is valid is the author's, as the policy has it.
    @Test func set_whenTheirFirstZoneIsNone_asksTheNext() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            update public.context_profiles set timezone = 'Asia/Tokyo', notification_preferences =
                '{"timezone": "Mars/Base", "quiet_hours_start": "22:00", "quiet_hours_end": "07:00"}'
            """
        )
        // 23:00 in Tokyo.
        #expect(try fixture.setReminder("due_at => '2040-01-02 14:00Z'").warnings.contains("\"quiet_hours: "))
        #expect(try fixture.setReminder("due_at => '2040-01-02 23:00Z'").warnings == "{}")
        try fixture.sql("update public.context_profiles set timezone = 'Mars/Base'")
        #expect(try fixture.setReminder("due_local => '2040-01-02 09:00'").warnings.contains("\"no_timezone: "))
    }

    @Test func set_whenNobodyIsAMember_isTakenWithAWarning() async throws {
        let fixture = try await F.withUsers()
        #expect(try fixture.setReminder("due_at => now(), audience => 'everyone'").warnings.contains("\"no_members: "))
    }

    /// The app's view fails: the reminder is set, and its author hears of it. A time-out of the caller's own is theirs.
    @Test func set_whenTheMembersCanNotBeRead_isTakenWithAWarning() async throws {
        let fixture = try await F.withUsers()
        let view =
            "create or replace view nudged.subject_member as select 'task'::text as subject_type, '7'::text as subject_id,"
        try fixture.sql("\(view) (1 / (random() * 0)::integer)::text::uuid as user_id")
        let warnings = try fixture.setReminder("due_at => now(), audience => 'everyone'").warnings
        #expect(
            warnings
                == "{\"members_unreadable: nudged.subject_member could not be read now (SQLSTATE 22012): nobody is told until it can\"}",
            "\(warnings)"
        )
        #expect(try fixture.sql("select is_fan_out from nudged.occurrence") == "t")
        // For audience `me` the view is not read.
        #expect(try fixture.setReminder("due_at => now()").warnings == "{}")
        try fixture.sql("\(view) \(F.quoted(1))::uuid as user_id from (select pg_sleep(60)) s")
        let connection = try await fixture.connection()
        await #expect(throws: PostgresError.self) {
            try await connection.transaction { transaction in
                try await transaction.execute(
                    script:
                        "set local statement_timeout = '300ms'; select nudged_api.set_reminder(\(F.quoted(2)), 'task', '7', 'x', '', now(), audience => 'everyone')"
                )
            }
        }
        #expect(try fixture.sql("select count(*) from nudged.occurrence where user_id = \(F.quoted(2))") == "0")
    }

    /// A recipient view whose preferences are a text that is no JSON.
    @Test func set_whenPreferencesAreNoJSON_isTaken() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql("alter table public.context_profiles add words text default '{broken'")
        try fixture.sql(
            """
            drop view nudged.recipient;
            create view nudged.recipient as select user_id, words as preferences, timezone, first_session_complete from public.context_profiles
            """
        )
        #expect(try fixture.setReminder("due_local => '2040-01-02 23:00'").warnings == "{}")
    }

    /// No name of a zone that PostgreSQL would take for an offset, or in another case, passes.
    @Test func zone_whenItsNameIsPostgreSQLsAlone_isNone() async throws {
        let fixture = try await F()
        let zones = [
            "UTC", "GMT", "UCT", "Universal", "Zulu", "Greenwich", "Europe/Berlin", "America/Argentina/Buenos_Aires",
            "America/Port-au-Prince", "Etc/GMT+5",
            "Etc/GMT-14",
        ]
        let others = [
            "utc", "gmt", "GMT0", "CET", "EST5EDT", "UTC+3", "Foo/GMT+5", "Foo/Bar-3", "Mars/Base", "europe/berlin",
            "posix/Europe/Berlin", "right/UTC", "../UTC",
            "Europe/", "/Berlin", "Europe//Berlin", "", "Europe/Berlin ", "Europe/B\u{65}\u{301}rlin", "Etc/GMT+99",
            "<a/b>3", "-1",
        ]
        for name in zones { #expect(try fixture.sql("select nudged.is_zone('\(name)')") == "t", "\(name)") }
        for name in others { #expect(try fixture.sql("select nudged.is_zone('\(name)')") == "f", "\(name)") }
        // The caller's own setting stays.
        try fixture.expect(
            "set timezone = 'Asia/Tokyo'; select nudged.is_zone('Europe/Berlin'); show timezone",
            ["t", "Asia/Tokyo"]
        )
    }
}
