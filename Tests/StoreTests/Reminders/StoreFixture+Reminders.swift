import FoundationEssentials
import Testing
import TimeZones

@testable import Core

extension StoreFixture {
    /// Sets a reminder about a task: `arguments` as SQL, after subject, author and texts. Returns its id.
    @discardableResult
    func setReminder(
        _ arguments: String = "due_at => now() + interval '1 day'",
        about subject: String = "7"
    ) throws -> String {
        let call =
            "nudged_api.set_reminder(\(Self.quoted(1)), 'task', '\(subject)', 'Water', 'the plants', \(arguments))"
        return try sql("select id from \(call)")
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
