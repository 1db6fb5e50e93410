import Fixtures
import Testing

import struct FoundationEssentials.UUID

@testable import Delivery
@testable import Service

@Suite struct ReporterTextTests {
    @Test(arguments: [
        ("check_in", "a check-in", "it is not sent again"),
        ("message", "a message", "it is sent once more, unless it was already repeated"),
        ("reminder", "a reminder", "it is sent once more, unless it was already repeated"),
    ]) func unknown_saysWhatBecomesOfItsKind(kind: String, name: String, text: String) {
        let lines = ReporterLines()
        Reporter(lines.logger).sweep(
            .unknown(user: UUID(), kind: kind, deviceHash: "0123456789abcdef", reason: "no_answer")
        )
        let end = " was written, but no answer came (no_answer); \(text)"
        #expect(lines.all.count == 1 && lines.all[0].hasSuffix(end), "\(lines.all)")
        #expect(lines.all[0].contains(" \(name) to user "), "\(lines.all)")
        #expect(lines.fields[0]["kind"] == kind)
    }

    /// The line names its subject. Its text and its author are not shown.
    @Test func fanOut_whenItFails_namesItsSubject() {
        let lines = ReporterLines()
        let reminder = ReminderFixture.reminder(ReminderFixture.at("2026-11-20T06:00:00Z"), about: "7\n\u{1B}[2J")
        Reporter(lines.logger).sweep(.fanOutFailed(reminder, error: "PostgreSQL: refused"))
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix("warning spread_failed "), "\(lines.all)")
        #expect(lines.all[0].contains(" 7\u{FFFD}\u{FFFD}[2J ") && lines.all[0].hasSuffix("PostgreSQL: refused"))
        #expect(lines.fields[0]["reminder_id"] == reminder.reminderID.uuidString.lowercased())
        #expect(
            lines.fields[0]["subject_type"] == reminder.subjectType
                && lines.fields[0]["subject_id"] == reminder.subjectID
        )
        #expect(
            !lines.all[0].contains(reminder.title) && !lines.all[0].contains(reminder.authorID.uuidString.lowercased())
        )
    }
}
