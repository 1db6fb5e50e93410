import Postgres
import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct CancelRemindersTests {
    private static let cancel = "select done, too_late from nudged_api.cancel_reminders(null, 'task', '7')"

    /// Everyone's copies, as a fan-out leaves them.
    private func fanOut(_ fixture: F, to numbers: ClosedRange<Int>) throws {
        for number in numbers {
            try fixture.sql(
                """
                insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
                select \(F.quoted(number)), reminder_id, author_id, subject_type, subject_id, title, body, now(), false
                from nudged.occurrence where user_id = author_id
                """
            )
        }
    }

    @Test func cancel_whenNothingIsOnItsWay_takesAllOfTheSubjectBack() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder(
            "due_at => now() + interval '1 day', audience => 'everyone', recurrence => 'FREQ=DAILY'"
        )
        try fanOut(fixture, to: 2...3)
        _ = try fixture.setReminder(by: 4)
        let other = try fixture.setReminder(about: "8")
        try fixture.forgetTouches()
        #expect(try fixture.sql(Self.cancel) == "4|0")
        #expect(try fixture.sql("select reminder_id from nudged.occurrence") == other.id)
        #expect(try fixture.sql("select id from nudged.reminder") == other.id)
        #expect(try fixture.touched() == ["01", "02", "03", "04"])
        try fixture.expect(
            "select right(user_id::text, 2), kind, outcome, reason, device_hash = '', slot is null from nudged.delivery order by 1",
            ["01", "02", "03", "04"].map { "\($0)|reminder|dropped|cancelled|t|t" }
        )
        #expect(try fixture.sql(Self.cancel) == "0|0")
    }

    @Test func cancel_whenRolledBack_leavesAll() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        try fixture.sql("begin; \(Self.cancel); rollback")
        try fixture.expect(
            "select (select count(*) from nudged.occurrence), (select count(*) from nudged.reminder)",
            "1|1"
        )
    }

    /// What an open intent holds goes out. The lock on it is given back at once: its outcome needs not wait for the app's commit.
    @Test func cancel_whenAnIntentHoldsSome_takesTheOthersBackAndHoldsNothing() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        try fanOut(fixture, to: 2...5)
        try fixture.openIntent(
            for: "select user_id, id from nudged.occurrence where right(user_id::text, 2) in ('01', '04')"
        )
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            let rows = try await transaction.run(Statement("cancel", sql: Self.cancel))
            #expect(try rows.int8(0, 0) == 3)
            #expect(try rows.int8(0, 1) == 2)
            try fixture.expect(
                "select right(user_id::text, 2) from nudged.occurrence where right(user_id::text, 2) in ('01', '04') order by 1 for update nowait",
                ["01", "04"]
            )
        }
        #expect(try fixture.lines("select right(user_id::text, 2) from nudged.occurrence order by 1") == ["01", "04"])
        // The series ends with what is on its way.
        #expect(try fixture.sql("select count(*) from nudged.reminder") == "0")
    }

    /// An intent that is not committed yet holds its rows: nobody waits, and it is too late.
    @Test(.timeLimit(.minutes(10))) func cancel_whenAnIntentIsBeingCommitted_isTooLateAtOnce() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        let daemon = try await fixture.connection()
        try await daemon.transaction { transaction in
            try await transaction.execute(script: "select 1 from nudged.occurrence for key share skip locked")
            #expect(try fixture.sql(Self.cancel) == "0|1")
        }
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "1")
    }

    /// While a cancellation is not committed yet no intent gets the row.
    @Test func cancel_whenItIsFirst_keepsIntentsOut() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            _ = try await transaction.run(Statement("cancel", sql: Self.cancel))
            #expect(try fixture.lines("select 1 from nudged.occurrence for key share skip locked").isEmpty)
        }
    }

    /// Two at once for one subject take turns, whatever is there to be cancelled: side by side each would take its authors' rows in its own order. Others' go on.
    @Test(.timeLimit(.minutes(10))) func cancel_whenAnotherOfTheSubjectIsOpen_waitsForIt() async throws {
        let fixture = try await F.withUsers()
        let app = try await fixture.connection()
        let cancel = Self.cancel
        nonisolated(unsafe) var waiting: Task<String, any Error>?
        try await app.transaction { transaction in
            _ = try await transaction.run(Statement("cancel", sql: cancel))
            // Of another subject: at once.
            try fixture.expect(
                "set lock_timeout = '20s'; select done, too_late from nudged_api.cancel_reminders(null, 'task', '8')",
                "0|0"
            )
            let second = Task { try fixture.sql("set lock_timeout = '60s'; \(cancel)") }
            try await fixture.untilSomebodyWaits()
            waiting = second
        }
        // The first is through, and so is the second.
        #expect(try await waiting?.value == "0|0")
    }

    /// More than one machine: rows are held user by user there, and the answer is the same.
    @Test func cancel_whenRowsAreHeldUserByUser_answersTheSame() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        try fanOut(fixture, to: 2...5)
        try fixture.openIntent(for: "select user_id, id from nudged.occurrence where right(user_id::text, 2) = '04'")
        // As Citus refuses it.
        let body = try fixture.sql("select pg_get_functiondef('nudged.hold_occurrences'::regproc)")
        let refusing = body.replacing(
            "        select coalesce(array_agg(o.user_id)",
            with: "        raise feature_not_supported; select coalesce(array_agg(o.user_id)"
        )
        #expect(refusing != body)
        try fixture.sql(refusing)
        #expect(try fixture.sql(Self.cancel) == "4|1")
        #expect(try fixture.lines("select right(user_id::text, 2) from nudged.occurrence") == ["04"])
    }

    /// Everyone of a large subject: by sets, not row by row.
    @Test(.timeLimit(.minutes(10))) func cancel_whenTheSubjectHasManyRecipients_takesThemBackTogether() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        try fixture.sql(
            """
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, is_own)
            select gen_random_uuid(), reminder_id, author_id, subject_type, subject_id, title, body, now(), false
            from nudged.occurrence, generate_series(1, 20000);
            insert into nudged.person (user_id, due_at) select user_id, now() from nudged.occurrence on conflict do nothing
            """
        )
        try fixture.openIntent(for: "select user_id, id from nudged.occurrence order by id limit 500")
        #expect(try fixture.sql(Self.cancel) == "19501|500")
        try fixture.expect(
            "select count(*), count(distinct key) from nudged.delivery where reason = 'cancelled'",
            "19501|19501"
        )
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "500")
    }

    /// Its outcome is unknown, or Apple asked to come back: it is not tried again, and was too late.
    @Test func cancel_whenItWasTried_takesItBackAsTooLate() async throws {
        let fixture = try await F.withUsers()
        _ = try fixture.setReminder()
        _ = try fixture.setReminder(by: 2)
        try fixture.sql(
            """
            update nudged.person p set retry = jsonb_build_object('kind', 'reminder', 'key', o.id)
            from nudged.occurrence o where o.user_id = p.user_id and p.user_id = \(F.quoted(1))
            """
        )
        #expect(try fixture.sql(Self.cancel) == "1|1")
        #expect(try fixture.sql("select count(*) from nudged.occurrence") == "0")
    }

    @Test func calls_whenTheSnapshotIsOlder_areRefused() async throws {
        let fixture = try await F.withUsers()
        let set = try fixture.setReminder()
        try fixture.sql("alter database \(fixture.name) set default_transaction_isolation = 'repeatable read'")
        let again = "\(F.quoted(1)), 'task', '7', 'x', '', now()"
        for (name, arguments) in [
            ("cancel_reminders", "null, 'task', '7'"), ("snooze_reminder", "null, '\(set.id)', now()"),
            ("set_reminder", again),
        ] {
            let refusal = try fixture.refusal("select nudged_api.\(name)(\(arguments))")
            #expect(
                refusal.hasPrefix(
                    "0A000 nudged_api.\(name): the transaction's isolation level is not READ COMMITTED / "
                )
            )
        }
        // What replaces nothing promises nothing that this could break.
        try fixture.sql(
            "begin isolation level serializable; select nudged_api.set_reminder(\(F.quoted(1)), 'task', '8', 'x', '', now()); commit"
        )
        #expect(try fixture.sql("select title from nudged.occurrence where subject_id = '8'") == "x")
    }
}
