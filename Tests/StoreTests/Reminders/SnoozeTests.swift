import Testing

@testable import Store

@Suite struct SnoozeTests {
    typealias F = StoreFixture

    private static let pending = """
        select right(user_id::text, 2), due_at, due_local, is_spread, is_own, recurrence, number, first_at, first_local, planned_local, spread_after is null
        from nudged.occurrence order by user_id
        """

    private func snooze(_ fixture: F, _ id: String, _ more: String = "", until: String = "2040-06-01 12:00Z") throws
        -> String
    {
        try fixture.sql("select nudged.snooze('\(id)', '\(until)'\(more))")
    }

    @Test func snooze_whenItIsPending_comesThen() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_local => '2040-01-02 09:00', timezone => 'Asia/Tokyo'")
        let old = try fixture.sql("select id from nudged.occurrence")
        try fixture.forgetTouches()
        #expect(try snooze(fixture, set.id, until: "2040-06-01 12:00:00.5Z") == "t")
        #expect(try fixture.sql(Self.pending) == "01|2040-06-01 12:00:01+00||f|t||1||||t")
        #expect(
            try fixture.sql("select reminder_id, title, body, subject_id from nudged.occurrence")
                == "\(set.id)|Water|the plants|7"
        )
        #expect(try fixture.touched() == ["01"])
        // Another nudge, so that an intent of the old one holds nothing of it; and nothing has ended.
        #expect(try fixture.sql("select id = '\(old)' from nudged.occurrence") == "f")
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "0")
        await fixture.close()
    }

    /// The rule's own hour stays: what comes after it is counted from there.
    @Test(arguments: [
        (
            "due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY'",
            "FREQ=DAILY|1||2040-01-02 09:00:00|2040-01-02 09:00:00"
        ),
        ("due_at => '2040-01-02 09:00Z', recurrence => 'FREQ=DAILY'", "FREQ=DAILY|1|2040-01-02 09:00:00+00||"),
    ])
    func snooze_whenItRecurs_leavesTheSeries(arguments: String, series: String) async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder(arguments)
        #expect(try snooze(fixture, set.id) == "t")
        #expect(try fixture.sql(Self.pending) == "01|2040-06-01 12:00:00+00||f|t|\(series)|t")
        await fixture.close()
    }

    /// Told at nine, snoozed for ten minutes: tomorrow's nine o'clock stays.
    @Test func snooze_whenTheSeriesNextHourIsLater_comesOnceMoreBefore() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY'")
        let row = try fixture.sql("select id from nudged.occurrence")
        #expect(try snooze(fixture, set.id, until: "2040-01-01 09:10Z") == "t")
        #expect(
            try fixture.lines(Self.pending + ", due_at") == [
                "01|2040-01-01 09:10:00+00||f|t||1||||t",
                "01||2040-01-02 09:00:00|f|t|FREQ=DAILY|1||2040-01-02 09:00:00|2040-01-02 09:00:00|t",
            ]
        )
        #expect(try fixture.sql("select id = '\(row)' from nudged.occurrence where recurrence is not null") == "t")
        await fixture.close()
    }

    @Test func snooze_whenOneRecipientAsks_isTheirsAlone() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => '2040-01-02 09:00Z', audience => 'everyone'")
        for number in 2...3 {
            try fixture.sql(
                """
                insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
                select \(F.quoted(number)), reminder_id, author_id, subject_type, subject_id, title, body, due_at, false
                from nudged.occurrence where is_spread
                """
            )
        }
        #expect(try snooze(fixture, set.id, ", \(F.quoted(2))") == "t")
        #expect(
            try fixture.lines(Self.pending) == [
                "01|2040-01-02 09:00:00+00||t|f||1||||t", "02|2040-06-01 12:00:00+00||f|t||1||||t",
                "03|2040-01-02 09:00:00+00||f|f||1||||t",
            ]
        )
        // Without a recipient everyone's, and nobody else chose the hour.
        #expect(try snooze(fixture, set.id, until: "2040-07-01 12:00Z") == "t")
        #expect(
            try fixture.lines(Self.pending) == [
                "01|2040-07-01 12:00:00+00||t|f||1||||t", "02|2040-07-01 12:00:00+00||f|t||1||||t",
                "03|2040-07-01 12:00:00+00||f|f||1||||t",
            ]
        )
        // The author's row of everyone's reminder is no copy of theirs.
        #expect(try snooze(fixture, set.id, ", \(F.quoted(1))") == "t")
        #expect(try fixture.sql("select is_spread, is_own from nudged.occurrence where is_spread") == "t|f")
        await fixture.close()
    }

    @Test func snooze_whenItIsOnItsWay_isFalseAndLeavesIt() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder("due_at => '2040-01-02 09:00Z'")
        try fixture.openIntent()
        #expect(try snooze(fixture, set.id) == "f")
        #expect(try fixture.sql("select due_at from nudged.occurrence") == "2040-01-02 09:00:00+00")
        await fixture.close()
    }

    @Test func snooze_whenNothingIsPending_isFalse() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        #expect(try snooze(fixture, "00000000-0000-4000-8000-000000000000") == "f")
        #expect(try snooze(fixture, set.id, ", \(F.quoted(2))") == "f")
        await fixture.close()
    }

    @Test(arguments: [
        "null", "'infinity'", "now() - interval '1 second'", "now() + interval '101 years'",
        "'-infinity'", "'294276-12-31 23:59:59.999999Z'",
    ]) func snooze_whenTheHourIsNone_isRefused(until: String) async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        #expect(
            try fixture.refusal("select nudged.snooze('\(set.id)', \(until))")
                == "22023 nudged.snooze: until is null, in the past or more than 100 years away / Give an instant to come, within 100 years."
        )
        #expect(
            try fixture.refusal("select nudged.snooze(null, now())")
                == "22023 nudged.snooze: id is null / Give the id that nudged.set_reminder returned."
        )
        await fixture.close()
    }
}
