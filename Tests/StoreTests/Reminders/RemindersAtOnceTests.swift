import Postgres
import TestSupport
import Testing

@testable import Core

/// Calls about reminders beside open transactions. `CallTranscriptTests` has their rules.
@Suite(.ownThreads) struct RemindersAtOnceTests {
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

    /// A time-out of the caller's own is theirs, also while the app's view of members is read.
    @Test func set_whenTheMembersTakeLong_endsWithTheCallersTimeout() async throws {
        let fixture = try await F.withUsers()
        let view =
            "select 'task'::text as subject_type, '7'::text as subject_id, user_id from nudged.person, pg_sleep(60)"
        try fixture.sql("create or replace view nudged.subject_member as \(view)")
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
}
