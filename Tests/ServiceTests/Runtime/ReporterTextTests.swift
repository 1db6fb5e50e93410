import APNs
import Fixtures
import Testing

import struct FoundationEssentials.UUID

@testable import Core
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

    /// A configuration that was changed by others could send everything elsewhere.
    @Test(arguments: [
        ("api.push.apple.com", 443 as UInt16, "Apple"), ("api.sandbox.push.apple.com", 443, "Apple"),
        ("api.push.apple.com", 2197, "Apple"), ("API.development.push.apple.com.", 443, "Apple"),
        ("api.push.apple.com", 8443, "api.push.apple.com:8443, which is not Apple's,"),
        ("api.push.apple.com.evil.example", 443, "api.push.apple.com.evil.example:443, which is not Apple's,"),
        ("17.1.2.3", 443, "17.1.2.3:443, which is not Apple's,"),
        ("::1", 2197, "[::1]:2197, which is not Apple's,"),
    ])
    func connection_namesTheServerUnlessItIsApples(host: String, port: UInt16, name: String) {
        let lines = ReporterLines()
        let server = SenderConfiguration.Endpoint(host: host, port: port)
        Reporter(lines.logger).sender(
            .connectionOpened(connection: 1, streams: 100, server: server),
            LaneIdentity(environment: "production", topic: "com.example.app")
        )
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasSuffix("connected to \(name) for com.example.app (production)"), "\(lines.all)")
        #expect(lines.fields[0]["server"] == server.description)
    }
}
