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

    func forgetTouches() throws { try sql("truncate nudged.touched") }
}
