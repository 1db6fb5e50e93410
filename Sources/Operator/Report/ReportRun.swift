package import Configuration
import Policy
import Postgres
import Core
import TimeZones

/// `nudged report`: counts the record on one snapshot and makes a page of it. It writes nothing to the database.
package struct ReportRun: Sendable {
    /// How many days a report can cover.
    package static let days = 1...366
    /// The least rows of a sweep that the report lists by its time.
    static let leastSweep = 20
    private static let mostSweeps = 20
    private static let mostDaemons = 100

    private let access: DatabaseAccess
    private let rules: Rules
    private let zones = ZoneDatabase()

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
        rules = configuration.policy
    }

    /// Counts the record and makes the page.
    ///
    /// - Parameters:
    ///   - days: one of `ReportRun.days`.
    ///   - numbers: exact, or rounded for a page that is passed on.
    ///   - version: this program's version, which the page names.
    ///   - onProgress: called with the number of answered questions, and of all questions.
    /// - Returns: the page's HTML.
    /// - Throws: `PostgresError`, `SchemaError`, or `TimeZoneError` if a zone's file can't be read.
    package func page(
        days: Int,
        numbers: ReportNumbers,
        version: String,
        onProgress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> String {
        let report = try await access.withStore { store in
            try await store.reporting { reader in
                try await count(reader, days: days, onProgress: onProgress)
            }
        }
        return ReportPage(report, numbers: numbers, version: version).markup
    }

    private func count(
        _ reader: ReportReader,
        days: Int,
        onProgress: @Sendable (Int, Int) -> Void
    ) async throws -> Report {
        let window = ReportWindow(now: try await reader.clock(), days: days)
        let (from, until) = (window.from, window.until)
        zones.reload()
        let offsets = try ZoneOffset.all(of: zones, from: from, until: until)
        let deliveries = try await reader.deliveries(from: from, until: until, stretch: window.stretch)
        onProgress(1, 3)
        let (hours, people) = try await reader.hours(from: from, until: until, offsets: offsets, rules: rules)
        onProgress(2, 3)
        let sweeps = try await reader.sweeps(
            from: from,
            until: until,
            least: Self.leastSweep,
            most: Self.mostSweeps
        )
        onProgress(3, 3)
        return Report(
            window: window,
            retentionDays: try await reader.retentionDays(),
            rules: rules,
            deliveries: deliveries,
            hours: hours,
            people: people,
            sweeps: sweeps,
            daemons: try await reader.daemons(most: Self.mostDaemons),
            pauses: try await reader.pauses(),
            isCut: deliveries.count >= ReportReader.mostCounts
        )
    }
}
