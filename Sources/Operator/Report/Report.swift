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
    var stretches: [[DeliveryCount]] = []
    var isCut = false
    var hours: [HourCount] = []
    let people: PeopleReached
    var opens: [OpenCount] = []
    let holdout: (with: SeenCount, without: SeenCount)
    var sweeps: [SweepCount] = []
    var daemons: [DaemonRow] = []
    var pauses: [Pause] = []

    func count(_ isCounted: (DeliveryCount) -> Bool = { _ in true }) -> Int { stretches.joined().sum(isCounted) }
    func count(_ outcome: DeliveryRecord.Outcome) -> Int { count { $0.outcome == outcome } }

    /// The rows of these outcomes by reason, the most frequent first. The reason is empty if there is none.
    func reasons(of outcomes: [DeliveryRecord.Outcome]) -> [(outcome: String, reason: String, count: Int)] {
        let rows = stretches.joined().filter { outcomes.contains($0.outcome) }
        return Dictionary(grouping: rows) { [$0.outcome.rawValue, $0.reason] }
            .map { (outcome: $0[0], reason: $0[1], count: $1.sum()) }
            .sorted { ($1.count, $0.outcome, $0.reason) < ($0.count, $1.outcome, $1.reason) }
    }

    var firstRecorded: Instant? { stretches.firstIndex { $0.sum() > 0 }.map(window.beginning) }

    package static let days = 1...366
    static let seenDays: Int64 = 7
    /// The least rows of a sweep that the report lists by its time.
    static let leastSweep = 20

    package func page(_ numbers: ReportNumbers, version: String) -> String {
        ReportPage(report: self, numbers: numbers, version: version).markup
    }

    package static func read(days: Int, _ config: Configuration, onProgress: @escaping Progress) async throws -> Self {
        let rules = config.policy
        return try await DatabaseAccess(config).withStore { store in
            try await store.reporting { reader -> Report in
                let window = ReportWindow(now: Instant(seconds: try await reader.clock() / 1_000_000), days: days)
                let span = window.from..<window.until
                let deliveries = try await reader.deliveries(in: span, stretch: window.stretch)
                onProgress(1, 4)
                let (hours, people) = try await reader.hours(in: span, rules: rules)
                onProgress(2, 4)
                let opens = try await reader.opens(in: span)
                let holdout = try await reader.holdout(in: span, since: window.now - seenDays * 86_400)
                onProgress(3, 4)
                let kept = try await reader.retentionDays()
                var report = Report(window: window, retentionDays: kept, rules: rules, people: people, holdout: holdout)
                report.stretches = window.stretches(deliveries)
                report.isCut = deliveries.count >= SnapshotReader.mostCounts
                (report.hours, report.opens) = (hours, opens)
                report.sweeps = try await reader.sweeps(in: span, least: leastSweep, most: 20)
                report.daemons = try await reader.daemons(most: 100)
                report.pauses = try await reader.pauses().filter { $0.resumedAt == nil }
                onProgress(4, 4)
                return report
            }
        }
    }
}

protocol Counted { var count: Int { get } }

extension DeliveryCount: Counted {}
extension HourCount: Counted {}

extension Sequence where Element: Counted {
    func sum(_ isCounted: (Element) -> Bool = { _ in true }) -> Int { reduce(0) { isCounted($1) ? $0 + $1.count : $0 } }
}

/// The time that a report covers. It has equal stretches, which begin at whole hours or days of UTC.
struct ReportWindow: Sendable, Equatable {
    let now: Instant
    let days: Int

    /// The most bars of a chart that a phone's screen can show apart.
    static let mostStretches = 100

    var stretchHours: Int { [1, 2, 3, 6, 12, 24, 48].first { days * 24 <= Self.mostStretches * $0 } ?? 96 }
    var count: Int { max(1, (days * 24 + stretchHours - 1) / stretchHours) }
    var stretch: Int64 { Int64(stretchHours) * 3600 }
    var until: Instant { Instant(seconds: (now.seconds / stretch + 1) * stretch) }
    var from: Instant { until - Int64(count) * stretch }
    func beginning(of place: Int) -> Instant { from + Int64(place) * stretch }

    func stretches(_ rows: [DeliveryCount]) -> [[DeliveryCount]] {
        let byNumber = Dictionary(grouping: rows, by: \.stretch)
        return (0..<Int64(count)).map { byNumber[from.seconds / stretch + $0] ?? [] }
    }
}

enum TimeText {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `2026-11-21 18:40`
    static func minute(_ instant: Instant) -> String { "\(instant.rfc3339.prefix(10)) \(clock(instant))" }

    /// `18:40`
    static func clock(_ instant: Instant) -> String { String(instant.rfc3339.dropFirst(11).prefix(5)) }

    /// `21 Nov`
    static func day(_ instant: Instant) -> String {
        let text = instant.rfc3339
        let month = Int(text.dropFirst(5).prefix(2)).map { months[($0 - 1) % months.count] } ?? ""
        return "\(Int(text.dropFirst(8).prefix(2)) ?? 0) \(month)"
    }

    /// `21 Nov 18:00 to 20:00`. The day is repeated if it differs.
    static func span(from: Instant, until: Instant) -> String {
        let isSameDay = from.seconds / 86_400 == (until.seconds - 1) / 86_400
        return "\(day(from)) \(clock(from)) to \(isSameDay ? "" : "\(day(until)) ")\(clock(until))"
    }

    private static let steps: [Int64] = [6, 12, 24, 48, 120, 168, 240, 480, 960, 1920, 2400]

    /// At most five marks, at round hours or at midnight.
    static func marks(_ window: ReportWindow) -> [ColumnChart.Mark] {
        let length = window.until - window.from
        let step = (steps.first { length / ($0 * 3600) <= 4 } ?? steps[steps.count - 1]) * 3600
        let first = (window.from.seconds + step - 1) / step * step
        return stride(from: first, through: window.until.seconds, by: Int(step)).map { seconds in
            let mark = Instant(seconds: seconds)
            let text = step < 86_400 && seconds % 86_400 != 0 ? clock(mark) : day(mark)
            return (Double(mark - window.from) / Double(length), text)
        }
    }
}
