import Policy
import Store
import TimeZones

/// What `nudged report` draws: the record of some days, counted. Nothing in it says who, which device or what text.
struct Report: Sendable, Equatable {
    /// A stretch of time.
    struct Stretch: Sendable, Equatable {
        /// Pushes that Apple accepted, as `Report.kinds`.
        var accepted = [Int](repeating: 0, count: Report.kinds.count)
        /// Rows of the other outcomes.
        var others: [DeliveryRecord.Outcome: Int] = [:]
        /// Of the rejected: those that Apple answered 410.
        var gone = 0
        /// All rows.
        var all: Int { accepted.reduce(0, +) + others.values.reduce(0, +) }
    }

    /// What became of rows, and why.
    struct Fate: Sendable, Hashable {
        let outcome: DeliveryRecord.Outcome
        /// Empty: none was given.
        let reason: String
    }

    /// Accepted pushes by the users' clocks.
    struct LocalHours: Sendable, Equatable {
        /// By local hour, 0 to 23; in each, as `Report.kinds`.
        var hours = [[Int]](repeating: [Int](repeating: 0, count: Report.kinds.count), count: 24)
        /// Of users without a zone, or gone.
        var unplaced = 0
        /// Within quiet hours that the users chose.
        var inOwnQuietHours = 0
        /// Of users who chose some.
        var withOwnQuietHours = 0
        /// Within the rules' quiet hours, of users who chose none.
        var inDefaultQuietHours = 0
        /// Of users who chose none.
        var withDefaultQuietHours = 0

        var placed: Int { hours.joined().reduce(0, +) }
    }

    /// Kinds as the record names them; last what an earlier or later version may have written.
    static let kinds = NudgeKind.allCases.map(\.rawValue) + ["other"]

    let window: ReportWindow
    /// Days after which the record is dropped.
    let keepDays: Int
    /// Its rules' quiet hours and time of check-ins.
    let rules: Rules
    /// As `window` cuts the time.
    private(set) var stretches: [Stretch]
    /// Rows by outcome and reason.
    private(set) var fates: [Fate: Int] = [:]
    private(set) var local = LocalHours()
    /// Check-ins by how long after their time they came, as `HourCount.Lateness.allCases`.
    private(set) var lateness = [Int](repeating: 0, count: HourCount.Lateness.allCases.count)
    /// Check-ins of which that can't be told.
    private(set) var untimed = 0
    /// By size, as `SweepCount.Size.allCases`; nil: there were none.
    private(set) var sweepSizes = [SweepCount?](repeating: nil, count: SweepCount.Size.allCases.count)
    /// The largest ones, the largest first.
    private(set) var largestSweeps: [SweepCount] = []
    /// Not everything was counted apart: the rarest may be missing.
    let isCut: Bool
    /// Those that were seen within a day.
    let daemons: [DaemonRow]
    /// What the kill switch holds.
    let pauses: [Pause]

    init(
        window: ReportWindow,
        keepDays: Int,
        rules: Rules,
        deliveries: [DeliveryCount],
        hours: [HourCount],
        sweeps: [SweepCount],
        daemons: [DaemonRow],
        pauses: [Pause],
        isCut: Bool = false
    ) {
        self.window = window
        self.keepDays = keepDays
        self.rules = rules
        self.daemons = daemons
        self.pauses = pauses.filter { $0.resumedAt == nil }
        self.isCut = isCut
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
        fates[Fate(outcome: count.outcome, reason: count.reason), default: 0] += count.count
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
    var all: Int { fates.values.reduce(0, +) }

    /// Rows of an outcome.
    func count(_ outcome: DeliveryRecord.Outcome) -> Int {
        fates.reduce(0) { $0 + ($1.key.outcome == outcome ? $1.value : 0) }
    }

    /// Tokens that Apple called gone.
    var gone: Int { stretches.reduce(0) { $0 + $1.gone } }

    /// Rows of some outcomes by reason, the most frequent first.
    func reasons(of outcomes: [DeliveryRecord.Outcome]) -> [(fate: Fate, count: Int)] {
        fates.filter { outcomes.contains($0.key.outcome) }.map { (fate: $0.key, count: $0.value) }
            .sorted {
                ($1.count, $0.fate.outcome.rawValue, $0.fate.reason) < (
                    $0.count, $1.fate.outcome.rawValue, $1.fate.reason
                )
            }
    }

    /// When the first stretch of which the record has something begins.
    var firstRecorded: Instant? { stretches.firstIndex { $0.all > 0 }.map(window.beginning) }
}
