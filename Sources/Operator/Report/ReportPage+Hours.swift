import HTML
import NudgedKit
import Policy
import Store

/// When people got it, by their own clocks.
extension ReportPage {
    private var quietWords: String {
        guard let hours = report.rules.quietHours, !hours.isNone else { return "The rules have no quiet hours" }
        return "Shaded: the rules' quiet hours, \(hours.start) to \(hours.end)"
    }

    var localHours: ReportSection {
        let title = "Accepted pushes by the hour of the day where the person is"
        let local = report.local
        guard local.placed > 0 else {
            let words =
                local.unplaced > 0
                ? "Of none of the accepted pushes a zone is known." : "Apple accepted nothing in this time."
            return ReportSection(id: "hours", title: title, parts: [.words(words)])
        }
        let counts = local.hours.map { RoundedCount($0.reduce(0, +)) }
        let chart = ColumnChart(
            id: "hours-chart",
            title: "\(title): pushes each local hour",
            summary: "\(quietWords). \(quietCounts) The table below has every number.",
            panels: [
                Panel(
                    "",
                    counts.enumerated().map {
                        Panel.Bar($1.value, "\(Self.hour($0)) to \(Self.hour($0 + 1)): \($1.words)")
                    }
                )
            ],
            marks: [0, 6, 12, 18, 24].map { ColumnChart.Mark(Double($0) / 24, Self.hour($0)) },
            shades: shades,
            isScaleShared: true,
            panelHeight: 150,
            number: Self.pushes
        )
        return ReportSection(
            id: "hours",
            title: title,
            parts: [
                .words("\(quietWords), for people who chose none. \(quietCounts)"), .node(chart.node),
                .node(hoursTable.folded),
                .words(
                    "Within quiet hours a push is no fault: reminders that people set for themselves keep the hour they chose, and urgent messages go through where they are "
                        + "allowed. Zones and quiet hours are read as they are now, since the record holds neither: who moved or changed them since is counted by the new ones."
                ),
            ]
                + (local.unplaced > 0
                    ? [
                        .words(
                            "Not drawn: \(RoundedCount(local.unplaced).words) pushes to people without a valid zone, or who are gone."
                        )
                    ] : [])
        )
    }

    private static func hour(_ hour: Int) -> String { "\(hour < 10 ? "0" : "")\(hour):00" }

    /// The rules' quiet hours on the axis of a day: two parts where they pass midnight.
    private var shades: [ColumnChart.Shade] {
        guard let hours = report.rules.quietHours, !hours.isNone else { return [] }
        let (start, end) = (Double(hours.start.minutes) / 1440, Double(hours.end.minutes) / 1440)
        if start < end { return [ColumnChart.Shade(start...end)] }
        return (end > 0 ? [ColumnChart.Shade(0...end)] : []) + [ColumnChart.Shade(start...1)]
    }

    private var quietCounts: String {
        let local = report.local
        func words(_ inside: Int, _ all: Int) -> String {
            "\(RoundedCount(inside).words) of \(RoundedCount(all).words)"
        }
        var sentences: [String] = []
        if local.withDefaultQuietHours > 0, report.rules.quietHours?.isNone == false {
            sentences.append(
                "Of pushes to people who chose none, \(words(local.inDefaultQuietHours, local.withDefaultQuietHours)) came within them."
            )
        }
        if local.withOwnQuietHours > 0 {
            sentences.append(
                "Of pushes to people with quiet hours of their own, \(words(local.inOwnQuietHours, local.withOwnQuietHours)) came within theirs."
            )
        }
        return sentences.joined(separator: " ")
    }

    private var hoursTable: Table {
        let local = report.local
        let kinds = Report.kinds.indices.filter { kind in
            kind < Report.kinds.count - 1 || local.hours.contains { $0[kind] > 0 }
        }
        return Table(
            "Accepted pushes by local hour",
            [.words("Local hour")] + kinds.map { .number(KindWords.title(Report.kinds[$0])) } + [.number("All")],
            local.hours.enumerated().map { hour, counts in
                [Self.hour(hour)] + kinds.map { RoundedCount(counts[$0]).words } + [
                    RoundedCount(counts.reduce(0, +)).words
                ]
            },
            sums: ["All"] + kinds.map { kind in RoundedCount(local.hours.reduce(0) { $0 + $1[kind] }).words }
                + [RoundedCount(local.placed).words]
        )
    }

    // MARK: Lateness

    private static let latenessWords = [
        "before its time (which was changed since)", "within a minute", "1 to 5 minutes", "5 to 15 minutes",
        "15 minutes to an hour",
        "1 to 4 hours", "more than 4 hours",
    ]

    var lateness: ReportSection {
        let title = "How long after their time check-ins were sent"
        let told = report.lateness.reduce(0, +)
        let others =
            "Of messages and reminders the record does not hold when they were due; the journal's lines of sweeps tell how long those take."
        guard told > 0 else {
            return ReportSection(
                id: "lateness",
                title: title,
                parts: [.words("No accepted check-in has a time that can be told."), .words(others)]
            )
        }
        let all = RoundedCount(told)
        let counts = zip(Self.latenessWords, report.lateness).map { ($0, RoundedCount($1)) }
        let chart = BarList(
            id: "lateness-chart",
            title: title,
            summary: counts.map { "\($0): \($1.words)" }.joined(separator: "; ") + ".",
            lines: counts.map { line($0, $1, of: all) }
        )
        let table = Table(
            title,
            [.words("After its time"), .number("Check-ins")],
            counts.map { [$0, $1.words] },
            sums: ["All", all.words]
        )
        return ReportSection(
            id: "lateness",
            title: title,
            parts: [
                .words(
                    "From the slot's time by the person's clock to the attempt that Apple accepted. Quiet hours, limits and pauses that a check-in waited for are in it, as far as it "
                        + "came through: what does not by policy.maxStalenessMinutes is skipped."
                ),
                .node(chart.node), .node(table.folded),
            ]
                + (report.untimed > 0
                    ? [
                        .words(
                            "Not drawn: \(RoundedCount(report.untimed).words) check-ins whose time can't be told: no valid zone, or a time that is spread (policy.spreadMinutes)."
                        )
                    ]
                    : []) + [.words(others)]
        )
    }
}
