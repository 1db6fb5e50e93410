import Policy
import Seeded
@testable import Core
import TimeZones

@testable import Operator

/// Reports without a database.
enum ReportFixture {
    static let now = Instant(rfc3339: "2026-11-21T18:40:12Z") ?? Instant(seconds: 0)

    static func window(days: Int = 7) -> ReportWindow { ReportWindow(now: now, days: days) }

    static func report(
        days: Int = 7,
        retentionDays: Int = 90,
        rules: Rules = .defaults,
        deliveries: [DeliveryCount] = [],
        hours: [HourCount] = [],
        people: PeopleReached = PeopleReached(),
        opens: [OpenCount] = [],
        holdout: (with: SeenCount, without: SeenCount) = (SeenCount(users: 9, seen: 1), SeenCount(users: 0, seen: 0)),
        sweeps: [SweepCount] = [],
        daemons: [DaemonRow] = [],
        pauses: [Pause] = [],
        isCut: Bool = false
    ) -> Report {
        Report(
            window: window(days: days),
            retentionDays: retentionDays,
            rules: rules,
            stretches: window(days: days).stretches(deliveries),
            isCut: isCut,
            hours: hours,
            people: people,
            opens: opens,
            holdout: holdout,
            sweeps: sweeps,
            daemons: daemons,
            pauses: pauses
        )
    }

    static func markup(_ report: Report, _ numbers: ReportNumbers = .exact) -> String {
        ReportPage(report: report, numbers: numbers, version: "9.9.9").markup
    }

    /// The database's number of a stretch of the window.
    static func stretch(_ place: Int, days: Int = 7) -> Int64 {
        let window = window(days: days)
        return window.from.seconds / window.stretch + Int64(place)
    }

    /// Rows of one stretch.
    static func rows(
        _ count: Int,
        _ kind: String,
        _ outcome: DeliveryRecord.Outcome,
        _ reason: String = "",
        isGone: Bool = false,
        in place: Int
    ) -> DeliveryCount {
        DeliveryCount(
            stretch: stretch(place),
            kind: kind,
            outcome: outcome,
            reason: reason,
            isGone: isGone,
            count: count
        )
    }

    /// Something of everything.
    static func full(days: Int = 7, seed: UInt64 = 1) -> Report {
        var generator = SplitMix64(seed: seed)
        let window = window(days: days)
        let reasons = ["", "Unregistered", "BadDeviceToken", "expired", "quiet_hours", "daemon_lost", "other"]
        let deliveries = (0..<400).map { _ in
            DeliveryCount(
                stretch: stretch(Int.random(in: 0..<window.count, using: &generator), days: days),
                kind: Report.kinds.randomElement(using: &generator) ?? "",
                outcome: DeliveryRecord.Outcome.allCases.randomElement(using: &generator) ?? .accepted,
                reason: reasons.randomElement(using: &generator) ?? "",
                isGone: Bool.random(using: &generator),
                count: Int.random(in: 1...20_000, using: &generator)
            )
        }
        let hours = (0..<200).map { _ in
            HourCount(
                hour: Int.random(in: 0...9, using: &generator) == 0 ? nil : Int.random(in: 0...23, using: &generator),
                kind: Report.kinds.randomElement(using: &generator) ?? "",
                hasOwnQuietHours: Bool.random(using: &generator),
                isQuiet: Bool.random(using: &generator),
                lateness: HourCount.Lateness.allCases.randomElement(using: &generator),
                count: Int.random(in: 1...20_000, using: &generator)
            )
        }
        let sizes = SweepCount.Size.allCases.map { SweepCount(size: $0, sweeps: 700, records: 9000, seconds: 12) }
        let largest = SweepCount(
            began: now - 4000,
            size: .more,
            sweeps: 1,
            records: 6000,
            seconds: 130,
            accepted: 5000,
            refused: 700,
            unknown: 200,
            unsent: 100
        )
        return report(
            days: days,
            deliveries: deliveries,
            hours: hours,
            people: PeopleReached(all: 12_345, byKind: ["check_in": 11_111, "message": 3, "other": 2345]),
            opens: opens,
            holdout: (SeenCount(users: 1000, seen: 400), SeenCount(users: 100, seen: 22)),
            sweeps: sizes + [largest],
            daemons: [daemon(unseen: 2000), daemon(unseen: 600_000)],
            pauses: [pause]
        )
    }

    static let opens = [
        checkIns(nil, 0, sent: 460, opened: 123, rated: 40, helpful: 30),
        checkIns(.template, 3, sent: 400, opened: 120, rated: 40, helpful: 30),
        checkIns(.template, 5, sent: 60, opened: 3), checkIns(.hour, 9, sent: 431, opened: 123, rated: 40, helpful: 30),
        checkIns(.hour, 14, sent: 29, opened: 0), checkIns(.weekday, 1, sent: 230, opened: 60, rated: 20, helpful: 14),
        checkIns(.weekday, 7, sent: 230, opened: 63, rated: 20, helpful: 16),
        OpenCount(kind: "message", part: nil, sent: 10, users: 10, opened: 0),
        OpenCount(kind: "message", part: .hour, value: 9, sent: 10, users: 10, opened: 0),
    ]

    /// Each user got one, and rated one at most.
    static func checkIns(
        _ part: OpenCount.Part?,
        _ value: Int,
        sent: Int,
        opened: Int,
        rated: Int = 0,
        helpful: Int = 0
    ) -> OpenCount {
        var count = OpenCount(kind: "check_in", part: part, value: value, sent: sent, users: sent, opened: opened)
        (count.rated, count.raters, count.helpful) = (rated, rated, helpful)
        return count
    }

    static let pause = Pause(
        kind: .reminder,
        since: now - 600,
        heldSince: now - 600,
        byWhom: "planted-person@planted-host",
        reason: "planted-words",
        resumedAt: nil
    )

    static func daemon(
        unseen: Int64,
        state: String = #"{"lanes":[{"environment":"production","topic":"com.example.app","state":"open"}]}"#
    ) -> DaemonRow { DaemonRow(host: "planted-host", now: now, unseen: unseen, state: state) }
}
