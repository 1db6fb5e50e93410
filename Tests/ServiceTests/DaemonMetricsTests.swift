import APNs
import Glibc
import LocalPostgres
import Policy
import TestSupport
import Testing
import TimeZones

@testable import Core
@testable import Metrics
@testable import Service

import struct FoundationEssentials.UUID

@Suite struct MetricsPageTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let stopped = LaneStatus.stopped(reason: "InvalidProviderToken", remedy: "remedy", nextProbe: 0)
    private static let lanes = [
        LaneReport(LaneIdentity(environment: "production", topic: "com.example.app"), .open, now: nil, boot: 0),
        LaneReport(LaneIdentity(environment: "sandbox", topic: "com.example.\"app"), stopped, now: nil, boot: 0),
    ]

    private static func metrics() -> DaemonMetrics {
        var report = SweepReport()
        (report.users, report.unsent, report.tokensDeleted, report.changed) = (9, 8, 7, 6)
        (report.recovered, report.fenced, report.sending) = (5, 4, 3)
        report.record.enter(.accepted, of: "check_in", 11)
        report.record.enter(.accepted, of: "message", 12)
        report.record.enter(.unknown, of: "reminder", 13)
        report.resting = [
            "quiet_hours": 14, SweepReport.zonesUnread: 15, SendPlan.declinedReason: 16, SweepReport.rowUnreadable: 24,
        ]
        report.decisions[.init(origin: .fallback, shouldNotify: false)] = 17
        report.withoutConsent = 23
        let decision = DecisionStatus(since: nil)
        return DaemonMetrics(
            version: "1.2.3",
            startedAt: now - 60,
            state: DaemonState(
                lanes: lanes,
                decision: decision,
                inFlight: 18,
                lostLines: 19,
                intervalMilliseconds: 1500
            ),
            rangesOwned: 64,
            totals: report,
            paused: [.message],
            isDatabaseUp: true,
            isSchemaUsable: false,
            work: (
                WorkStatus(
                    now: now,
                    dueUsers: 20,
                    firstDue: now - 100,
                    touches: 21,
                    openIntents: 1,
                    openPushes: 2,
                    unknownPushes: 22,
                    daemons: [row(unseen: 1000), row(unseen: 31_000)]
                ),
                .seconds(7)
            )
        )
    }

    private static func row(unseen: Int64) -> DaemonRow {
        DaemonRow(
            id: UUID(),
            host: "planted-host",
            pid: 1,
            version: "1",
            startedAt: now,
            seenAt: now,
            unseenMilliseconds: unseen,
            state: "{}"
        )
    }

    private static func read(_ metrics: DaemonMetrics) throws -> ReadMetrics {
        try ReadMetrics(String(decoding: metrics.page, as: UTF8.self))
    }

    @Test func page_hasEachMetricOnceAsItIsDefined() throws {
        let page = try Self.read(Self.metrics())
        let all = Self.metrics().families
        #expect(page.families.map(\.name) == all.map(\.name))
        for (family, metric) in zip(page.families, all) {
            #expect(family.kind == metric.kind.rawValue && family.help == metric.help, "\(metric.name)")
            let labels = Set(family.samples.map { $0.labels.map { $0[0] }.filter { $0 != "le" } })
            #expect(labels == [metric.labels], "\(metric.name)")
            let series = family.samples.map { $0.name + $0.labels.description }
            #expect(Set(series).count == series.count, "\(metric.name) has a series twice")
        }
        // Bounded by kinds, outcomes, reasons and configured lanes: never by users.
        #expect(page.families.allSatisfy { $0.samples.count <= 24 })
    }

    /// `Tests/Reference/metric-values.txt` says what the page shows.
    @Test func page_tellsWhatIsKnown() throws {
        let page = try Self.read(Self.metrics())
        let lines = try Checkout.reference("metric-values")
        #expect(lines.count == 37)
        for line in lines {
            let isSum = line.hasPrefix("sum ")
            let words = line.split(separator: " ").map(String.init).dropFirst(isSum ? 1 : 0)
            let (name, value) = (try #require(words.first), try #require(words.last.flatMap { Double($0) }))
            let labels = words.dropFirst().dropLast().map { $0.split(separator: "=").map(String.init) }
            let known = Dictionary(uniqueKeysWithValues: labels.map { ($0[0], $0[1]) })
            let found = isSum ? page.sum(name, known) : page.value(name, known)
            #expect(found == value, "\(line)")
        }
    }

    /// Nothing is shown for what is not known, or not configured; a zero would be a claim.
    @Test func page_whenLittleIsKnown_leavesTheRestOut() throws {
        var metrics = Self.metrics()
        (metrics.work, metrics.startedAt, metrics.state.decision) = (nil, nil, nil)
        let all = metrics.families.map(\.name)
        let missing = Set(all).subtracting(try Self.read(metrics).families.map(\.name))
        #expect(
            missing == [
                "nudged_due_users", "nudged_due_oldest_seconds", "nudged_changes_waiting", "nudged_unknown_pushes",
                "nudged_daemons_alive", "nudged_start_time_seconds", "nudged_decision_service_state",
            ]
        )
    }

    @Test func oldest_whenNobodyIsDue_isZero() throws {
        var metrics = Self.metrics()
        metrics.work?.status.dueUsers = 0
        #expect(try Self.read(metrics).value("nudged_due_oldest_seconds") == 0)
    }

    // MARK: What is written from the definitions

    @Test func guide_hasTheListOfTheDefinitions() throws {
        let path = Checkout.root + "/docs/METRICS.md"
        let (start, end) = ("<!-- metrics: written by MetricsPageTests -->\n", "\n<!-- metrics end -->")
        let old = try #require(TextFile.read(path))
        let from = try #require(old.firstRange(of: start))
        let to = try #require(old.firstRange(of: end))
        // What to make of a metric is written in the page alone, in italics.
        let rows = old[from.upperBound..<to.lowerBound].split(separator: "\n")
        let uses = rows.map { $0.split(separator: " *").last.map { $0.dropLast() } ?? "" }
        #expect(uses.allSatisfy { $0.count > 10 })
        let known = Dictionary(zip(rows.map { $0.split(separator: "`")[1] }, uses)) { first, _ in first }
        let list = Self.metrics().families.map { metric in
            let labels = metric.labels.isEmpty ? "" : "{\(metric.labels.joined(separator: ","))}"
            let name = metric.name + labels
            return "- `\(name)`: \(metric.help) *\(known[name[...]] ?? "")*"
        }
        let new = old[..<from.lowerBound] + start + list.joined(separator: "\n") + old[to.lowerBound...]
        if getenv("NUDGED_WRITE") != nil { return try TextFile.write(path, String(new)) }
        #expect(
            old == new,
            "docs/METRICS.md is not what the definitions say: NUDGED_WRITE=1 swift test --filter MetricsPageTests"
        )
    }
}

@Suite struct MetricsBookTests {
    private static func finished(good: Bool, _ milliseconds: Int64) -> SweepEvent {
        var report = SweepReport()
        report.isGood = good
        report.milliseconds = milliseconds
        return .finished(id: UUID(), report)
    }

    @Test func book_countsWhatSweepsTell() {
        var book = MetricsBook()
        book.hear(Self.finished(good: true, 3))
        book.hear(Self.finished(good: false, 1_000_000))
        for error in ["x", "y"] { book.hear(.settlementFailed(error: error)) }
        book.hear(.progress)
        book.hear(.fenced(pushes: 3))
        #expect(book.goodSweeps == 1 && book.badSweeps == 1 && book.writeFailures == 2)
        #expect(book.durations.counts.first == 1 && book.durations.counts.last == 1 && book.durations.sum == 1000.003)
    }
}

@Suite struct PaceTests {
    @Test func question_comesEveryFifteenSeconds_andLaterAfterASlowAnswer() {
        var pace = Pace(interval: 15_000, rest: 20)
        // One at a time.
        let first = ([0, 100_000] as [Int64]).map { pace.begin(now: $0) }
        pace.end(now: 10)
        let second = ([14_999, 15_000] as [Int64]).map { pace.begin(now: $0) }
        // Two seconds of work, forty of rest.
        pace.end(now: 17_000)
        let third = ([56_999, 57_000] as [Int64]).map { pace.begin(now: $0) }
        #expect([first, second, third] == [[true, false], [false, true], [false, true]])
    }
}
