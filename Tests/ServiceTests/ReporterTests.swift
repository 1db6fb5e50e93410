import APNs
import Fixtures
import Glibc
import Postgres
import Synchronization
import Systemd
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core
@testable import Metrics
@testable import Service

@Suite struct ReporterTests {
    private let lines = ReporterLines()
    private let reporter: Reporter

    init() { reporter = Reporter(lines.log) }

    /// What an operator filters by: the word says whether PostgreSQL is gone, refuses us, or is only held up.
    @Test(
        arguments: [
            (PostgresError.Code.connectionLost, "57P01", "error database_lost"),
            (.connectionFailed, nil, "error database_lost"),
            (.timedOut, nil, "error database_lost"), (.connectionFailed, "28P01", "error database_refused"),
            (.refusedByServer, "42501", "error database_refused"), (.refusedByServer, "55P03", "warning database_busy"),
            (.refusedByServer, "57014", "warning database_busy"), (.refusedByServer, "40P01", "warning database_busy"),
        ] as [(PostgresError.Code, String?, String)]
    ) func databaseFailed_isSaidByItsWord(code: PostgresError.Code, state: String?, text: String) {
        reporter.databaseFailed(PostgresError(code, sqlState: state, statement: "claim_taken"))
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix(text + " "), "\(lines.all)")
    }

    /// The database answers, but does not have what the statement names.
    @Test func databaseFailed_whenTheSchemaDoesNotFit_isNoOutage() {
        reporter.databaseFailed(PostgresError(.refusedByServer, sqlState: "42P01", statement: "claim_profiles"))
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix("warning write_failed "), "\(lines.all)")
        #expect(reporter.database.trouble == nil && !reporter.database.isAway)
        reporter.databaseFailed(PostgresError(.refusedByServer, sqlState: "42501", statement: "drain"))
        #expect(reporter.database.trouble != nil && !reporter.database.isAway)
        reporter.databaseFailed(PostgresError(.connectionLost, statement: "drain"))
        #expect(reporter.database.isAway)
        reporter.databaseAnswered()
        #expect(!reporter.database.isAway)
    }

    @Test func metrics_whenTheyCanNotBeShown_areSaidOnceAPlaceAndAtTheEnd() {
        reporter.metricsShown(at: "[::1]:1")
        #expect(lines.all.isEmpty, "what works from the start is no news")
        for _ in 0..<3 {
            reporter.metricsFailed(MetricsError.resources("[::1]:1", EAGAIN), at: "[::1]:1")
            reporter.metricsFailed(MetricsError.listen("127.0.0.1:1", EADDRINUSE), at: "127.0.0.1:1")
        }
        #expect(lines.all.count == 2, "\(lines.all)")
        #expect(lines.all.allSatisfy { $0.hasPrefix("warning metrics_failed ") }, "\(lines.all)")
        for _ in 0..<2 { reporter.metricsShown(at: "[::1]:1") }
        #expect(lines.all.count == 3 && lines.all[2].hasPrefix("notice metrics_back "), "\(lines.all)")
    }

    @Test func rejections_whenThousandsCome_areAFewLinesAndTheirCount() throws {
        for _ in 0..<3_000 {
            reporter.sweep(.rejected(user: UUID(), deviceHash: "0123456789abcdef", reason: "Unregistered", status: 410))
        }
        reporter.sweep(.rejected(user: UUID(), deviceHash: "0123456789abcdef", reason: "BadTopic", status: 400))
        let said = try #require(Event.pushRejected.repeats?.lines)
        #expect(lines.all.count == said + 1)
        reporter.tellRepeats()
        #expect(lines.all.count == said + 1)
        reporter.tellAllRepeats()
        let last = try #require(lines.all.last)
        #expect(lines.all.count == said + 2 && last.contains("2,995 more like it"), "\(last)")
        #expect(last.contains("Unregistered"), "\(last)")
        #expect(lines.fields.last?["repeats"] == "2995" && lines.fields.last?["event"] == "push_rejected")
    }

    /// The record's own hash of a device is never in the journal.
    @Test func devices_areCalledByAKeyedHash() throws {
        reporter.callDevices(by: DeviceNames(secret: "key"))
        reporter.sweep(.rejected(user: UUID(), deviceHash: "0123456789abcdef", reason: "Unregistered", status: 410))
        reporter.sweep(.unknown(user: UUID(), kind: "check_in", deviceHash: "0123456789abcdef", reason: "timeout"))
        let found = lines.fields.map { $0["device"] }
        #expect(found == Array(repeating: DeviceNames(secret: "key").name("0123456789abcdef"), count: 2))
        #expect(!lines.fields.contains { $0.values.contains { $0.contains("0123456789abcdef") } })
    }

    @Test(arguments: [
        ("check_in", "a check-in", "it is not sent again"),
        ("message", "a message", "it is sent once more, unless it was already repeated"),
        ("reminder", "a reminder", "it is sent once more, unless it was already repeated"),
    ]) func unknown_saysWhatBecomesOfItsKind(kind: String, name: String, text: String) {
        let hash = "0123456789abcdef"
        reporter.sweep(.unknown(user: UUID(), kind: kind, deviceHash: hash, reason: "no_answer"))
        let end = " was written, but no answer came (no_answer); \(text)"
        #expect(lines.all.count == 1 && lines.all[0].hasSuffix(end), "\(lines.all)")
        #expect(lines.all[0].contains(" \(name) to user "), "\(lines.all)")
        #expect(lines.fields[0]["kind"] == kind)
    }

    /// The line names its subject. Its text and its author are not shown.
    @Test func fanOut_whenItFails_namesItsSubject() {
        let reminder = ReminderFixture.reminder(ReminderFixture.at("2026-11-20T06:00:00Z"), about: "7\n\u{1B}[2J")
        reporter.sweep(.fanOutFailed(reminder, error: "PostgreSQL: refused"))
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix("warning fan_out_failed "), "\(lines.all)")
        #expect(lines.all[0].contains(" 7\u{FFFD}\u{FFFD}[2J ") && lines.all[0].hasSuffix("PostgreSQL: refused"))
        #expect(lines.fields[0]["reminder_id"] == reminder.reminderID.uuidString.lowercased())
        #expect(lines.fields[0]["subject_type"] == reminder.subjectType)
        #expect(lines.fields[0]["subject_id"] == reminder.subjectID && !lines.all[0].contains(reminder.title))
        #expect(!lines.all[0].contains(reminder.authorID.uuidString.lowercased()))
    }

    /// A configuration that was changed by others could send everything elsewhere.
    @Test(arguments: [
        ("api.push.apple.com", 443 as UInt16, "Apple"), ("api.sandbox.push.apple.com", 443, "Apple"),
        ("api.push.apple.com", 2197, "Apple"), ("API.development.push.apple.com.", 443, "Apple"),
        ("api.push.apple.com", 8443, "api.push.apple.com:8443, which is not Apple's,"),
        ("api.push.apple.com.evil.example", 443, "api.push.apple.com.evil.example:443, which is not Apple's,"),
        ("17.1.2.3", 443, "17.1.2.3:443, which is not Apple's,"), ("::1", 2197, "[::1]:2197, which is not Apple's,"),
    ]) func connection_namesTheServerUnlessItIsApples(host: String, port: UInt16, name: String) {
        let server = SenderConfiguration.Endpoint(host: host, port: port)
        reporter.sender(
            .connectionOpened(connection: 1, streams: 100, server: server),
            LaneIdentity(environment: "production", topic: "com.example.app")
        )
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasSuffix("connected to \(name) for com.example.app (production)"), "\(lines.all)")
        #expect(lines.fields[0]["server"] == server.description)
    }

    private func unread(_ number: Int32, _ name: String) -> TimeZoneError {
        TimeZoneError("/zones/\(name): \(String(cString: strerror(number)))", number: number)
    }

    @Test func zonesUnread_whenManyMeetTheSameFailure_isOneLineWithItsRemedy() throws {
        reporter.sweep(.zonesUnread(unread(EMFILE, "Asia/Tokyo"), users: 7))
        reporter.sweep(.zonesUnread(unread(EMFILE, "Europe/Berlin"), users: 5))
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1 && line.hasPrefix("error "), "\(lines.all)")
        for text in ["/zones/Asia/Tokyo: Too many open files", "7 users", "raise LimitNOFILE"] {
            #expect(line.contains(text), "\(line)")
        }
        reporter.sweep(.zonesUnread(unread(EACCES, "Europe/Berlin"), users: 5))
        #expect(lines.all.count == 2 && lines.all.last?.contains("let the daemon's user read it") == true)
    }

    @Test func zonesAre_whenFilesAreUnreadOrNone_saysSo() throws {
        reporter.zonesAre(ZoneDatabase().reload(), in: "/usr/share/zoneinfo")
        #expect(lines.all.isEmpty)
        reporter.zonesAre(ZoneDatabase(directory: "/nonexistent").reload(), in: "/nonexistent")
        // UTC needs no file.
        #expect(lines.all.count == 1 && lines.all.last?.contains("no time-zone files in /nonexistent") == true)
    }
}

/// What a reporter said.
final class ReporterLines: Sendable {
    private let kept = Mutex<[LogLine]>([])

    /// `level event message`.
    var all: [String] { kept.withLock { $0.map { "\($0.event.level) \($0.event.name) \($0.message)" } } }

    /// Each line's metadata.
    var fields: [[String: String]] {
        kept.withLock { $0.map { Dictionary(uniqueKeysWithValues: $0.metadata.map { ($0.key, $0.value) }) } }
    }

    var events: [Event] { kept.withLock { $0.map(\.event) } }

    var log: @Sendable (LogLine) -> Void {
        return { line in self.kept.withLock { $0.append(line) } }
    }
}
