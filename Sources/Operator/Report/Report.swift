package import Configuration
import Core
import Policy
import TimeZones

/// The counts that `nudged report` shows. They name no user, no device and no text.
package struct Report: Sendable {
    /// The record's names of the kinds. The last one is for kinds of other versions.
    static let kinds = NudgeKind.allCases.map(\.rawValue) + ["other"]

    let window: ReportWindow
    let retentionDays: Int
    let rules: Rules
    let stretches: [[DeliveryCount]]
    /// Whether the rows were cut. Then the rarest are missing.
    let isCut: Bool
    let hours: [HourCount]
    let people: PeopleReached
    let opens: [OpenCount]
    let holdout: (with: SeenCount, without: SeenCount)
    let sweeps: [SweepCount]
    let daemons: [DaemonRow]
    let pauses: [Pause]

    // MARK: Sums

    /// Rows of the record.
    func count(_ isCounted: (DeliveryCount) -> Bool = { _ in true }) -> Int { stretches.joined().sum(isCounted) }

    func count(_ outcome: DeliveryRecord.Outcome) -> Int { count { $0.outcome == outcome } }

    /// The rows of these outcomes by reason, the most frequent first. The reason is empty if there is none.
    func reasons(of outcomes: [DeliveryRecord.Outcome]) -> [(outcome: String, reason: String, count: Int)] {
        let rows = stretches.joined().filter { outcomes.contains($0.outcome) }
        return Dictionary(grouping: rows) { [$0.outcome.rawValue, $0.reason] }
            .map { (outcome: $0[0], reason: $0[1], count: $1.sum()) }
            .sorted { ($1.count, $0.outcome, $0.reason) < ($0.count, $1.outcome, $1.reason) }
    }

    /// The start of the first stretch that has rows. Nil if there are none.
    var firstRecorded: Instant? { stretches.firstIndex { $0.sum() > 0 }.map(window.beginning) }
}

protocol Counted {
    var count: Int { get }
}

extension DeliveryCount: Counted {}
extension HourCount: Counted {}

extension Sequence where Element: Counted {
    func sum(_ isCounted: (Element) -> Bool = { _ in true }) -> Int {
        reduce(0) { isCounted($1) ? $0 + $1.count : $0 }
    }
}

// MARK: Counting the record

extension Report {
    package static let days = 1...366
    /// A user counts as seen if the app saw them in the last so many days.
    static let seenDays: Int64 = 7
    /// The least rows of a sweep that the report lists by its time.
    static let leastSweep = 20
    private static let mostSweeps = 20
    private static let mostDaemons = 100

    /// Counts the record on one snapshot and makes a page of it. It writes nothing to the database.
    ///
    /// - Parameter onProgress: called with the number of answered questions, and of all questions.
    /// - Returns: the page's HTML.
    /// - Throws: as `DatabaseAccess.withStore`.
    package static func page(
        days: Int,
        numbers: ReportNumbers,
        version: String,
        _ configuration: Configuration,
        onProgress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> String {
        let report = try await DatabaseAccess(configuration).withStore { store in
            try await store.reporting { reader in
                try await read(reader, days: days, rules: configuration.policy, onProgress: onProgress)
            }
        }
        return ReportPage(report: report, numbers: numbers, version: version).markup
    }

    private static func read(
        _ reader: SnapshotReader,
        days: Int,
        rules: Rules,
        onProgress: @Sendable (Int, Int) -> Void
    ) async throws -> Report {
        let now = Instant(seconds: try await reader.clock() / 1_000_000)
        let window = ReportWindow(now: now, days: days)
        let span = window.from..<window.until
        let deliveries = try await reader.deliveries(in: span, stretch: window.stretch)
        onProgress(1, 4)
        let (hours, people) = try await reader.hours(in: span, rules: rules)
        onProgress(2, 4)
        let opens = try await reader.opens(in: span)
        let holdout = try await reader.holdout(in: span, since: window.now - seenDays * 86_400)
        onProgress(3, 4)
        let sweeps = try await reader.sweeps(in: span, least: leastSweep, most: mostSweeps)
        onProgress(4, 4)
        return Report(
            window: window,
            retentionDays: try await reader.retentionDays(),
            rules: rules,
            stretches: window.stretches(deliveries),
            isCut: deliveries.count >= SnapshotReader.mostCounts,
            hours: hours,
            people: people,
            opens: opens,
            holdout: holdout,
            sweeps: sweeps,
            daemons: try await reader.daemons(most: mostDaemons),
            pauses: try await reader.pauses().filter { $0.resumedAt == nil }
        )
    }
}
