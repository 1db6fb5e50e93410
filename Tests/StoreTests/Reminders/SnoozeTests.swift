import Postgres
import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct SnoozeTests {
    private static let pending = """
        select right(user_id::text, 2), due_at, due_local, is_fan_out, is_own, recurrence, number, first_at, first_local, planned_local, fan_out_after is null
        from nudged.occurrence order by user_id
        """

    private func snooze(
        _ fixture: F,
        _ id: String,
        for recipient: Int? = nil,
        until: String = "2040-06-01 12:00Z"
    ) throws -> String {
        let recipient = recipient.map(F.quoted) ?? "null"
        return try fixture.sql("select done from nudged_api.snooze_reminder(\(recipient), '\(id)', '\(until)')")
    }

    @Test func snooze_whenItIsPending_comesThen() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_local => '2040-01-02 09:00', timezone => 'Asia/Tokyo'")
        let old = try fixture.sql("select id from nudged.occurrence")
        try fixture.forgetTouches()
        #expect(try snooze(fixture, set.id, until: "2040-06-01 12:00:00.5Z") == "1")
        #expect(try fixture.sql(Self.pending) == "01|2040-06-01 12:00:01+00||f|t||1||||t")
        try fixture.expect(
            "select reminder_id, title, body, subject_id from nudged.occurrence",
            "\(set.id)|Water|the plants|7"
        )
        #expect(try fixture.touched() == ["01"])
        // Another nudge, so that an intent of the old one holds nothing of it; and nothing has ended.
        #expect(try fixture.sql("select id = '\(old)' from nudged.occurrence") == "f")
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "0")
    }

    /// The rule's own hour stays: what comes after it is counted from there.
    @Test(arguments: [
        (
            "due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY'",
            "FREQ=DAILY|1||2040-01-02 09:00:00|2040-01-02 09:00:00"
        ),
        ("due_at => '2040-01-02 09:00Z', recurrence => 'FREQ=DAILY'", "FREQ=DAILY|1|2040-01-02 09:00:00+00||"),
    ]) func snooze_whenItRecurs_leavesTheSeries(arguments: String, series: String) async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder(arguments)
        #expect(try snooze(fixture, set.id) == "1")
        #expect(try fixture.sql(Self.pending) == "01|2040-06-01 12:00:00+00||f|t|\(series)|t")
    }

    /// Told at nine, snoozed for ten minutes: tomorrow's nine o'clock stays.
    @Test func snooze_whenTheSeriesNextHourIsLater_comesOnceMoreBefore() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY'")
        let row = try fixture.sql("select id from nudged.occurrence")
        #expect(try snooze(fixture, set.id, until: "2040-01-01 09:10Z") == "1")
        try fixture.expect(
            Self.pending + ", due_at",
            [
                "01|2040-01-01 09:10:00+00||f|t||1||||t",
                "01||2040-01-02 09:00:00|f|t|FREQ=DAILY|1||2040-01-02 09:00:00|2040-01-02 09:00:00|t",
            ]
        )
        #expect(try fixture.sql("select id = '\(row)' from nudged.occurrence where recurrence is not null") == "t")
    }

    @Test func snooze_whenOneRecipientAsks_isTheirsAlone() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => '2040-01-02 09:00Z', audience => 'everyone'")
        for number in 2...3 {
            try fixture.sql(
                """
                insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
                select \(F.quoted(number)), reminder_id, author_id, subject_type, subject_id, title, body, due_at, false
                from nudged.occurrence where is_fan_out
                """
            )
        }
        #expect(try snooze(fixture, set.id, for: 2) == "1")
        try fixture.expect(
            Self.pending,
            [
                "01|2040-01-02 09:00:00+00||t|f||1||||t", "02|2040-06-01 12:00:00+00||f|t||1||||t",
                "03|2040-01-02 09:00:00+00||f|f||1||||t",
            ]
        )
        // Without a recipient everyone's, and nobody else chose the hour.
        #expect(try snooze(fixture, set.id, until: "2040-07-01 12:00Z") == "1")
        try fixture.expect(
            Self.pending,
            [
                "01|2040-07-01 12:00:00+00||t|f||1||||t", "02|2040-07-01 12:00:00+00||f|t||1||||t",
                "03|2040-07-01 12:00:00+00||f|f||1||||t",
            ]
        )
        // What is still everyone's is nobody's alone, not its author's either.
        #expect(try snooze(fixture, set.id, for: 1) == "0")
        try fixture.expect("select due_at, is_own from nudged.occurrence where is_fan_out", "2040-07-01 12:00:00+00|f")
    }

    /// It came for everyone, and the series goes on. It comes once more for the user who snoozes it, author or not, and
    /// for nobody else.
    @Test(arguments: [1, 2]) func snooze_whenOneOfEveryoneAsks_comesOnceMoreForThem(user: Int) async throws {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, '7'::text as subject_id, user_id from public.context_profiles where right(user_id::text, 1) < '4'
            """
        )
        let set = try fixture.setReminder(
            "due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY', audience => 'everyone'"
        )
        let series = try fixture.sql("select * from nudged.occurrence")
        try fixture.forgetTouches()
        for until in ["2040-01-01 09:10Z", "2040-01-01 09:20Z"] {
            #expect(try snooze(fixture, set.id, for: user, until: until) == "1")
            #expect(try fixture.sql("select * from nudged.occurrence where is_fan_out") == series)
            try fixture.expect(
                "select right(user_id::text, 2), due_at, recurrence, is_own, author_id = \(F.quoted(1)) from nudged.occurrence where not is_fan_out",
                ["0\(user)|\(until.dropLast()):00+00||t|t"]
            )
        }
        #expect(try fixture.touched() == ["0\(user)"])
        // A user who is not a member can't snooze it, and nobody can if everyone's next hour comes before.
        #expect(try snooze(fixture, set.id, for: 4, until: "2040-01-01 09:10Z") == "0")
        #expect(try snooze(fixture, set.id, for: 3, until: "2040-01-03 09:10Z") == "0")
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "2")
    }

    /// Snoozed again and again: what comes once more moves, and stays one; the series is where it was.
    @Test(arguments: ["me", "everyone"]) func snooze_whenItIsSnoozedAgain_movesTheOneThatComesOnceMore(audience: String)
        async throws
    {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder(
            "due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY', audience => '\(audience)'"
        )
        for minute in [10, 20, 30] {
            #expect(try snooze(fixture, set.id, until: "2040-01-01 09:\(minute)Z") == "1")
            try fixture.expect(
                "select due_at, is_fan_out from nudged.occurrence order by due_at",
                ["2040-01-01 09:\(minute):00+00|\(audience == "me" ? "f" : "t")", "|\(audience == "me" ? "f" : "t")"]
            )
        }
    }

    /// While a snooze's transaction is open, a cancellation, a new version of the reminder and another snooze wait for
    /// it. Nothing is in flight.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("select concat(done, '|', too_late) from nudged_api.cancel_reminders(null, 'task', '7')", "1|0", "0"),
            (
                "select warnings::text from nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'New', '', due_at => '2040-01-02Z')",
                "{}", "1"
            ),
            ("select (nudged_api.snooze_reminder(null, id, '2040-01-03Z')).done::text from nudged.reminder", "1", "1"),
        ]
    ) func others_whenASnoozeIsOpen_waitForIt(call: String, answer: String, left: String) async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        let app = try await fixture.connection()
        let other = try await fixture.connection()
        let waiting = try await app.transaction { transaction in
            try await transaction.execute(script: "select nudged_api.snooze_reminder(null, '\(set.id)', '2040-06-01Z')")
            let waiting = Task { try await other.run(Statement("call", sql: call)).text(0, 0) }
            try await fixture.untilSomebodyWaits()
            return waiting
        }
        #expect(try await waiting.value == answer)
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == left)
        #expect(try fixture.sql("select count(*) from nudged.occurrence where due_at >= '2040-06-01Z'") == "0")
    }

    @Test func snooze_whenItIsOnItsWay_isFalseAndLeavesIt() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => '2040-01-02 09:00Z'")
        try fixture.openIntent()
        #expect(try snooze(fixture, set.id) == "0")
        #expect(try fixture.sql("select due_at from nudged.occurrence") == "2040-01-02 09:00:00+00")
    }

    @Test func snooze_whenNothingIsPending_isFalse() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        #expect(try snooze(fixture, "00000000-0000-4000-8000-000000000000") == "0")
        #expect(try snooze(fixture, set.id, for: 2) == "0")
    }
}
