import HTML
import NudgedPreferences
import Policy
import Core

/// The sections about local time.
extension ReportPage {
    private var quietText: String {
        guard let hours = report.rules.quietHours, !hours.isNone else { return "The rules have no quiet hours" }
        return "Shaded: the rules' quiet hours, \(hours.start) to \(hours.end)"
    }

    var localHours: ReportSection {
        let title = "Accepted pushes by the user's local hour"
        let local = report.local
        guard local.placed > 0 else {
            let text =
                local.unplaced > 0
                ? "No accepted push has a known time zone." : "Apple accepted nothing in this time."
            return ReportSection(id: "hours", title: title, parts: [.text(text)])
        }
        let counts = local.hours.map { numbers.count($0.reduce(0, +)) }
        let chart = ColumnChart(
            id: "hours-chart",
            title: "\(title): pushes each local hour",
            summary: "\(quietText). \(quietCounts) The table below has every number.",
            panels: [
                Panel(
                    "",
                    counts.enumerated().map {
                        Panel.Bar($1.value, "\(Self.hour($0)) to \(Self.hour($0 + 1)): \($1.text)")
                    }
                )
            ],
            marks: [0, 6, 12, 18, 24].map { ColumnChart.Mark(Double($0) / 24, Self.hour($0)) },
            shades: shades,
            isScaleShared: true,
            panelHeight: 150,
            number: Self.pushes
        )
        let explanation =
            "A push within quiet hours is not a fault: reminders that people set for themselves keep their hour, "
            + "and urgent messages are sent if they are allowed. The record has neither zones nor quiet hours, "
            + "so those of now are used, also for people who have changed them since."
        let unplaced =
            "Not in the chart: \(counted(local.unplaced, "push", "pushes")) "
            + "to people who are gone or have no valid zone."
        return ReportSection(
            id: "hours",
            title: title,
            parts: [
                .text("\(quietText), for people who set none. \(quietCounts)"), .node(chart.node),
                .node(hoursTable.folded), .text(explanation),
            ] + (local.unplaced > 0 ? [.text(unplaced)] : [])
        )
    }

    private static func hour(_ hour: Int) -> String { "\(hour < 10 ? "0" : "")\(hour):00" }

    /// The rules' quiet hours as parts of a day. There are two parts if they pass midnight.
    private var shades: [ColumnChart.Shade] {
        guard let hours = report.rules.quietHours, !hours.isNone else { return [] }
        let (start, end) = (Double(hours.start.minutes) / 1440, Double(hours.end.minutes) / 1440)
        if start < end { return [ColumnChart.Shade(start...end)] }
        return (end > 0 ? [ColumnChart.Shade(0...end)] : []) + [ColumnChart.Shade(start...1)]
    }

    private var quietCounts: String {
        let local = report.local
        func text(_ inside: Int, _ all: Int) -> String {
            "\(shown(inside)) of \(shown(all))"
        }
        var sentences: [String] = []
        if local.withDefaultQuietHours > 0, report.rules.quietHours?.isNone == false {
            sentences.append(
                "Of pushes to people who set none, "
                    + "\(text(local.inDefaultQuietHours, local.withDefaultQuietHours)) were sent within them."
            )
        }
        if local.withOwnQuietHours > 0 {
            sentences.append(
                "Of pushes to people with quiet hours of their own, "
                    + "\(text(local.inOwnQuietHours, local.withOwnQuietHours)) were sent within theirs."
            )
        }
        return sentences.joined(separator: " ")
    }

    private var hoursTable: Table {
        let local = report.local
        let kinds = Report.kinds.indices.filter { kind in
            kind < Report.kinds.count - 1 || local.hours.contains { $0[kind] > 0 }
        }
        let sums = kinds.map { kind in local.hours.reduce(0) { $0 + $1[kind] } }
        return Table(
            "Accepted pushes by local hour",
            [.text("Local hour")] + kinds.map { .number(KindText.title(Report.kinds[$0])) } + [.number("All")],
            local.hours.enumerated().map { hour, counts in
                [Self.hour(hour)] + kinds.map { shown(counts[$0]) } + [shown(counts.reduce(0, +))]
            },
            sums: ["All"] + sums.map { shown($0) } + [shown(local.placed)]
        )
    }

    // MARK: Lateness

    private static let latenessTexts = [
        "before its time (the time was changed later)", "within a minute", "1 to 5 minutes", "5 to 15 minutes",
        "15 minutes to an hour",
        "1 to 4 hours", "more than 4 hours",
    ]

    var lateness: ReportSection {
        let title = "How late check-ins were sent"
        let told = report.lateness.reduce(0, +)
        let others =
            "The record does not say when messages and reminders were due. "
            + "The journal says how long each sweep takes."
        guard told > 0 else {
            return ReportSection(
                id: "lateness",
                title: title,
                parts: [.text("No accepted check-in has a known time."), .text(others)]
            )
        }
        let shares = numbers.shares(of: report.lateness)
        let rows = zip(Self.latenessTexts, report.lateness).map { [$0, shown($1)] }
        let chart = BarList(
            id: "lateness-chart",
            title: title,
            summary: rows.map { "\($0[0]): \($0[1])" }.joined(separator: "; ") + ".",
            lines: report.lateness.indices.map {
                line(Self.latenessTexts[$0], report.lateness[$0], share: shares?[$0])
            }
        )
        let table = Table(
            title,
            [.text("After its time"), .number("Check-ins")],
            rows,
            sums: ["All", shown(told)]
        )
        let explanation =
            "From the slot's local time to the attempt that Apple accepted. It includes the time that a check-in "
            + "waited for quiet hours, limits and pauses. A check-in that is later than "
            + "policy.maxStalenessMinutes is skipped, and not in the chart."
        let untimed =
            "Not in the chart: \(counted(report.untimed, "check-in", "check-ins")) whose time is not known, "
            + "because of no valid zone, or of jitter (policy.spreadMinutes)."
        return ReportSection(
            id: "lateness",
            title: title,
            parts: [.text(explanation), .node(chart.node), .node(table.folded)]
                + (report.untimed > 0 ? [.text(untimed)] : []) + [.text(others)]
        )
    }
}
