import Fixtures
import APNs
import Glibc
import LocalPostgres
import Postgres
@testable import Core
import Systemd
import TestSupport
import Testing
@testable import TimeZones

@testable import Service
@testable import Metrics

import struct FoundationEssentials.UUID

/// What the reporter says is what the definitions and the page promise: each line an event, with its priority and its
/// fields.
@Suite struct ReporterFieldsTests {
    private static let user = UUID()
    private static let lane = LaneIdentity(environment: "production", topic: "com.example.app")
    private static let hash = "0123456789abcdef"

    private static var sweeps: [SweepEvent] {
        var report = SweepReport()
        report.record.enter(.accepted, of: "check_in", 3)
        func note(_ token: String, _ state: EnvironmentNote.State) -> EnvironmentNote {
            EnvironmentNote(
                userID: user,
                token: token,
                deviceHash: hash,
                environment: "production",
                topic: "com.example.app",
                state: state,
                registration: nil,
                at: Instant(seconds: 0),
                reason: "BadDeviceToken"
            )
        }
        let unread = TimeZoneError("/zones/Asia/Tokyo", number: EMFILE)
        return [
            .finished(id: UUID(), report), .recovered(pushes: 2), .ownership(ranges: 32, members: 2),
            .membersDeclaredDead(1),
            .noticed([
                .refused(Refusal(userID: user, column: "nudged.recipient.preferences", error: "54000")),
                .preferencesMalformed(user: user, valueHash: 1, why: "no object"),
                .timezoneInvalid(user: user, valueHash: 2), .reminderZoneUnknown(user: user, valueHash: 3),
                .historyAhead(user: user), .deviceNotServed(user: user, environment: "sandbox", topic: nil),
            ]), .zonesUnread(unread, users: 2),
            .rejected(user: user, deviceHash: hash, reason: "Unregistered", status: 410),
            .rejected(user: user, deviceHash: hash, reason: "invalid_token", status: nil),
            .rejected(user: user, deviceHash: hash, reason: "payload_too_large", status: nil),
            .quarantined(note("", .refused)), .moved(note("ab", .moved)),
            .unknown(user: user, kind: "message", deviceHash: hash, reason: "timeout"),
            .settlementFailed(error: "no space"),
            .fanOutFailed(ReminderFixture.reminder(ReminderFixture.at("2026-11-20T06:00:00Z")), error: "no view"),
            .fenced(pushes: 2), .paused([.checkIn], before: []),
            .paused([], before: [.checkIn]),
        ]
    }

    private static let senders: [SenderEvent] = [
        .laneStopped(reason: "InvalidProviderToken", remedy: "fix it"), .laneResumed,
        .connectionOpened(connection: 1, streams: 100, server: .init(host: "api.push.apple.com", port: 443)),
        .connectionLost(connection: 1, why: "reset", retryInMilliseconds: 3),
        .connectionSilent(connection: 1, unanswered: 3), .goAway(connection: 1, reason: "NO_ERROR"),
        .connectionResting(connection: 1, until: 0), .tokenMinted(keyID: "KEY", issuedAt: 0),
        .storm(count: 3, lastStatus: 503, lastReason: "Shutdown"), .ourBug(status: 405, reason: "MethodNotAllowed"),
    ]

    @Test func lines_areAsTheirEventsAreDefined() throws {
        let lines = ReporterLines()
        let reporter = Reporter(lines.log)
        for event in Self.sweeps { reporter.sweep(event) }
        for event in Self.senders { reporter.sender(event, Self.lane) }
        for state in [nil, "28P01", "55P03", "53100"] as [String?] {
            reporter.databaseFailed(PostgresError(.refusedByServer, sqlState: state, statement: "claim_taken"))
        }
        reporter.databaseFailed(PostgresError(.timedOut, statement: "commit"))
        reporter.databaseAnswered()
        reporter.schemaIs(.behind(Migration.all))
        reporter.say(.schemaDiffers, Migrator.SchemaState.newer(newest: 99).text)
        reporter.partitionsFailed(PostgresError(.refusedByServer, sqlState: "55P03"))
        reporter.statusFailed(PostgresError(.refusedByServer, sqlState: "42501"))
        reporter.metricsFailed(MetricsError.listen("127.0.0.1:1", EADDRINUSE), at: "127.0.0.1:1")
        reporter.metricsShown(at: "127.0.0.1:1")
        for fault in ["status 500", nil] { reporter.heartbeat(fault) }
        for failures in [[TimeZoneError("/zones/UTC", number: EACCES)], []] {
            reporter.zonesAre(ZoneDatabase.Reading(count: 0, failures: failures), in: "/zones")
        }
        var decisions = DecisionStatus(since: nil)
        for fault in ["status 500", nil] {
            decisions.note(fault: fault, now: nil)
            reporter.decisions(decisions)
        }
        #expect(lines.all.count == Self.sweeps.count + 5 + Self.senders.count + 18, "\(lines.all)")
        var met: [String: Set<String>] = [:]
        // Fields of lines that only a daemon writes.
        var said: Set = ["version", "interval_ms", "in_flight"]
        for (fields, event) in zip(lines.fields, lines.events) {
            #expect(fields["event"] == event.name)
            let own = Set(fields.keys).subtracting(["event"])
            said.formUnion(own)
            met[event.name, default: []].formUnion(own)
            for name in try Self.placeholders(event) { #expect(own.contains(name), "\(event.name) has no \(name)") }
        }
        // The others are said by the daemon itself and by the commands.
        let others = Event.allCases.map(\.name).filter { met[$0] == nil }
        #expect(
            Set(others) == [
                "daemon_ready", "daemon_stopping", "daemon_stopped", "configuration_refused", "configuration_warning",
                "reload_done", "reload_failed",
            ]
        )
        let list = met.map { ([$0] + $1.sorted()).joined(separator: " ") + "\n" }.sorted().joined()
        let path = Checkout.root + "/Tests/Reference/journal-fields.txt"
        if getenv("NUDGED_WRITE") != nil { try TextFile.write(path, list) }
        #expect(TextFile.read(path) == list, "NUDGED_WRITE=1 swift test --filter ReporterFieldsTests writes it again")
        let documented = try Self.documented()
        #expect(Set(said.map { $0.uppercased() }).symmetricDifference(documented) == [])
    }

    /// The fields that docs/JOURNAL.md lists.
    private static func documented() throws -> [String] {
        let page = try Checkout.text("docs/JOURNAL.md")
        let list = page.split(separator: "## Fields\n").last?.split(separator: "\n\n").dropFirst().first
        return try #require(list).matches(of: #/`([A-Z_]+)`/#).map { String($0.1) }.sorted()
    }

    /// The fields that the catalog's text about an event shows.
    private static func placeholders(_ event: Event) throws -> [String] {
        let catalog = try Checkout.text("systemd/nudged.catalog")
        let entry = catalog.split(separator: "-- ").first { $0.hasPrefix(event.messageID) } ?? ""
        let meaning = entry.prefix(upTo: entry.firstRange(of: "What to do")?.lowerBound ?? entry.endIndex)
        return meaning.split(separator: "@", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { $0.element.dropFirst("NUDGED_".count).lowercased() }
    }
}
