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

    func forgetTouches() throws { try sql("truncate nudged.touched") }
}
