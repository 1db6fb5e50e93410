import FoundationEssentials
import Testing
import TimeZones

@testable import Core

extension StoreFixture {
    /// What a call answered.
    struct SetReminder {
        let id: String
        let warnings: String
    }

    /// Sets a reminder about task 7: `arguments` as SQL, after subject, author and texts.
    func setReminder(
        _ arguments: String = "due_at => now() + interval '1 day'",
        by author: Int = 1,
        about subject: String = "7"
    ) throws -> SetReminder {
        let answer = try sql(
            """
            select id, warnings from nudged_api.set_reminder(\(Self.quoted(author)), 'task', '\(subject)', 'Water', 'the plants', \(arguments))
            """
        )
        let fields = answer.split(separator: "|", maxSplits: 1).map(String.init)
        return SetReminder(id: fields.first ?? "", warnings: fields.last ?? "")
    }

    /// A pending row of a reminder that lives: `hour` as SQL, `more` further columns and values.
    @discardableResult
    func insertReminder(_ user: Int, _ hour: String, subject: String = "7", more: (String, String) = ("", ""))
        throws -> UUID
    {
        let id = try sql(
            """
            with defined as (
                insert into nudged.reminder (user_id, subject_type, subject_id, id) values (\(Self.quoted(user)), 'task', '\(subject)', gen_random_uuid())
                returning id
            )
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, is_own, due_at, due_local\(more.0))
            select \(Self.quoted(user)), id, \(Self.quoted(user)), 'task', '\(subject)', 'Water', 'the plants', true, \(hour)\(more.1) from defined
            returning id
            """
        ).split(separator: "\n").first
        return try #require(id.flatMap { UUID(uuidString: String($0)) })
    }

    /// The message and the hint of a refused call. Empty if the call was accepted.
    func refusal(_ statement: String) throws -> String {
        let output = try cluster.sql(
            """
            do $check$
            declare
                message text;
                remedy text;
            begin
                execute $statement$\(statement)$statement$;
                raise sqlstate 'TEST0' using message = '';
            exception
                when sqlstate 'TEST0' then perform set_config('test.message', '', false);
                when others then
                    get stacked diagnostics message = message_text, remedy = pg_exception_hint;
                    perform set_config('test.message', sqlstate || ' ' || message || ' / ' || remedy, false);
            end
            $check$;
            select current_setting('test.message');
            """,
            database: name
        )
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    /// The users of waiting touches, by the ends of their ids.
    func touched() throws -> [String] {
        try lines("select distinct right(user_id::text, 2) from nudged.touched order by 1")
    }

    func forgetTouches() throws { try sql("truncate nudged.touched") }

    /// An open intent that holds pending reminders: who and which, as the query says. Its daemon is gone.
    func openIntent(for pending: String = "select user_id, id from nudged.occurrence") throws {
        try sql(Self.openIntent(of: pending))
    }
}
