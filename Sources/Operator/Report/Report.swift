package import Configuration
import Core
import Policy
import TimeZones

/// The counts that `nudged report` shows. They name no user, no device and no text.
package struct Report: Sendable, Equatable {
    /// The counts of a part of the time.
    struct Stretch: Sendable, Equatable {
        /// Pushes that Apple accepted, in the order of `Report.kinds`.
        var accepted = [Int](repeating: 0, count: Report.kinds.count)
        /// Rows of the record with other outcomes.
        var others: [DeliveryRecord.Outcome: Int] = [:]
        /// Pushes that Apple answered with 410. They are among the rejected.
        var gone = 0
        /// All rows of the record.
        var all: Int { accepted.reduce(0, +) + others.values.reduce(0, +) }
    }

    /// An outcome with its reason.
    struct ReasonedOutcome: Sendable, Hashable {
        let outcome: DeliveryRecord.Outcome
        /// Empty if there is none.
        let reason: String
    }

    /// Accepted pushes by the users' local time.
    struct LocalHours: Sendable, Equatable {
        /// By local hour, 0 to 23; in each hour in the order of `Report.kinds`.
        var hours = [[Int]](repeating: [Int](repeating: 0, count: Report.kinds.count), count: 24)
        /// Pushes to users without a zone, or who are gone.
        var unplaced = 0
        /// Pushes within quiet hours that the users chose.
        var inOwnQuietHours = 0
        /// Pushes to users who chose quiet hours.
        var withOwnQuietHours = 0
        /// Pushes within the rules' quiet hours, to users who chose none.
        var inDefaultQuietHours = 0
        /// Pushes to users who chose no quiet hours.
        var withDefaultQuietHours = 0

        var placed: Int { hours.joined().reduce(0, +) }
    }

    /// The record's names of the kinds. The last one is for kinds of other versions.
    static let kinds = NudgeKind.allCases.map(\.rawValue) + ["other"]

    let window: ReportWindow
    /// Days after which rows of the record are dropped.
    let retentionDays: Int
    /// The rules in force. The report shows their quiet hours.
    let rules: Rules
    /// One for each stretch of `window`.
    private(set) var stretches: [Stretch]
    /// Rows by outcome and reason.
    private(set) var reasonedOutcomes: [ReasonedOutcome: Int] = [:]
    private(set) var local = LocalHours()
    let people: PeopleReached
    /// Check-ins by their lateness, in the order of `HourCount.Lateness.allCases`.
    private(set) var lateness = [Int](repeating: 0, count: HourCount.Lateness.allCases.count)
    /// Check-ins whose lateness is unknown.
    private(set) var untimed = 0
    /// Sweeps by size, in the order of `SweepCount.Size.allCases`. Nil: there were none of that size.
    private(set) var sweepSizes = [SweepCount?](repeating: nil, count: SweepCount.Size.allCases.count)
    /// The largest sweeps, the largest first.
    private(set) var largestSweeps: [SweepCount] = []
    /// Whether the counts were cut. Then the rarest are missing.
    var isCut: Bool
    /// Daemons that were seen within a day.
    let daemons: [DaemonRow]
    /// The pauses that are in force.
    let pauses: [Pause]

    init(
        window: ReportWindow,
        retentionDays: Int,
        rules: Rules,
        deliveries: [DeliveryCount],
        hours: [HourCount],
        people: PeopleReached,
        sweeps: [SweepCount],
        daemons: [DaemonRow],
        pauses: [Pause]
    ) {
        self.window = window
        self.retentionDays = retentionDays
        self.rules = rules
        self.people = people
        self.daemons = daemons
        self.pauses = pauses.filter { $0.resumedAt == nil }
        isCut = deliveries.count >= ReportReader.mostCounts
        stretches = Array(repeating: Stretch(), count: window.count)
        for count in deliveries { add(count) }
        for count in hours { add(count) }
        for sweep in sweeps {
            if sweep.began == nil { sweepSizes[Int(sweep.size.rawValue)] = sweep } else { largestSweeps.append(sweep) }
        }
    }

    // MARK: Counting

    private static func place(_ kind: String) -> Int { kinds.firstIndex(of: kind) ?? kinds.count - 1 }

    private mutating func add(_ count: DeliveryCount) {
        guard let place = window.place(ofStretch: count.stretch) else { return }
        reasonedOutcomes[ReasonedOutcome(outcome: count.outcome, reason: count.reason), default: 0] += count.count
        if count.isGone { stretches[place].gone += count.count }
        if count.outcome == .accepted {
            stretches[place].accepted[Self.place(count.kind)] += count.count
        } else {
            stretches[place].others[count.outcome, default: 0] += count.count
        }
    }

    private mutating func add(_ count: HourCount) {
        if count.kind == NudgeKind.checkIn.rawValue {
            if let lateness = count.lateness {
                self.lateness[Int(lateness.rawValue - HourCount.Lateness.early.rawValue)] += count.count
            } else {
                untimed += count.count
            }
        }
        guard let hour = count.hour, local.hours.indices.contains(hour) else {
            local.unplaced += count.count
            return
        }
        local.hours[hour][Self.place(count.kind)] += count.count
        if count.hasOwnQuietHours {
            local.withOwnQuietHours += count.count
            if count.isQuiet { local.inOwnQuietHours += count.count }
        } else {
            local.withDefaultQuietHours += count.count
            if count.isQuiet { local.inDefaultQuietHours += count.count }
        }
    }

    // MARK: Sums

    /// All rows.
    var all: Int { reasonedOutcomes.values.reduce(0, +) }

    func count(_ outcome: DeliveryRecord.Outcome) -> Int {
        reasonedOutcomes.reduce(0) { $0 + ($1.key.outcome == outcome ? $1.value : 0) }
    }

    /// Pushes that Apple answered with 410.
    var gone: Int { stretches.reduce(0) { $0 + $1.gone } }

    /// The rows of these outcomes by reason, the most frequent first.
    func reasons(of outcomes: [DeliveryRecord.Outcome]) -> [(entry: ReasonedOutcome, count: Int)] {
        reasonedOutcomes.filter { outcomes.contains($0.key.outcome) }.map { (entry: $0.key, count: $0.value) }
            .sorted {
                ($1.count, $0.entry.outcome.rawValue, $0.entry.reason) < (
                    $0.count, $1.entry.outcome.rawValue, $1.entry.reason
                )
            }
    }

    /// The start of the first stretch that has rows. Nil if there are none.
    var firstRecorded: Instant? { stretches.firstIndex { $0.all > 0 }.map(window.beginning) }
}

// MARK: Counting the record

extension Report {
    /// How many days a report can cover.
    package static let days = 1...366
    /// The least rows of a sweep that the report lists by its time.
    static let leastSweep = 20
    private static let mostSweeps = 20
    private static let mostDaemons = 100

    /// Counts the record on one snapshot and makes a page of it. It writes nothing to the database.
    ///
    /// - Parameters:
    ///   - days: one of `Report.days`.
    ///   - numbers: exact, or rounded for a page that is passed on.
    ///   - version: this program's version, which the page names.
    ///   - onProgress: called with the number of answered questions, and of all questions.
    /// - Returns: the page's HTML.
    /// - Throws: as `DatabaseAccess.withStore`, or `TimeZoneError` if a zone's file can't be read.
    package static func page(
        days: Int,
        numbers: ReportNumbers,
        version: String,
        _ configuration: Configuration,
        onProgress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> String {
        let report = try await DatabaseAccess(configuration).withStore { store in
            try await store.reporting { reader in
                try await count(reader, days: days, rules: configuration.policy, onProgress: onProgress)
            }
        }
        return ReportPage(report, numbers: numbers, version: version).markup
    }

    private static func count(
        _ reader: ReportReader,
        days: Int,
        rules: Rules,
        onProgress: @Sendable (Int, Int) -> Void
    ) async throws -> Report {
        let window = ReportWindow(now: try await reader.clock(), days: days)
        let (from, until) = (window.from, window.until)
        let zones = ZoneDatabase()
        zones.reload()
        let offsets = try ZoneOffset.all(of: zones, from: from, until: until)
        let deliveries = try await reader.deliveries(from: from, until: until, stretch: window.stretch)
        onProgress(1, 3)
        let (hours, people) = try await reader.hours(from: from, until: until, offsets: offsets, rules: rules)
        onProgress(2, 3)
        let sweeps = try await reader.sweeps(from: from, until: until, least: leastSweep, most: mostSweeps)
        onProgress(3, 3)
        return Report(
            window: window,
            retentionDays: try await reader.retentionDays(),
            rules: rules,
            deliveries: deliveries,
            hours: hours,
            people: people,
            sweeps: sweeps,
            daemons: try await reader.daemons(most: mostDaemons),
            pauses: try await reader.pauses()
        )
    }
}
