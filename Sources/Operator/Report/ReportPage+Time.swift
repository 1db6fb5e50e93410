import Core
import HTML
import NudgedPreferences
import Policy
import Service
import TimeZones

/// The sections about time: what was sent and what did not arrive, local hours, and lateness.
extension ReportPage {
    /// The known kinds, and the last one of `Report.kinds` if it has accepted pushes.
    private var kindsShown: [Int] {
        let known = Report.kinds.indices.dropLast()
        return Array(known) + (report.stretches.contains { $0.accepted[known.endIndex] > 0 } ? [known.endIndex] : [])
    }

    private var stretchText: String {
        let hours = report.window.stretchHours
        return hours == 1 ? "hour" : hours == 24 ? "day" : hours > 24 ? "\(hours / 24) days" : "\(hours) hours"
    }

    var sent: ReportSection {
        let title = "Accepted pushes by time and kind"
        let all = report.count(.accepted)
        guard all > 0 else {
            return ReportSection("sent", title, [ReportSection.text("Apple accepted nothing in this time.")])
        }
        let counts = { (stretch: Report.Stretch) in kindsShown.map { stretch.accepted[$0] } }
        let label = ChartLabel(
            id: "sent-chart",
            title: "\(title): pushes each \(stretchText)",
            summary: "\(counted(all, "push", "pushes")) in all. \(busiest) The table below has every number."
        )
        let chart = ColumnChart(
            label,
            panels: kindsShown.map { kind in
                panel(KindText.title(Report.kinds[kind]), paint: "bar") { $0.accepted[kind] }
            },
            marks: TimeText.marks(report.window),
            isScaleShared: true,
            panelHeight: 90,
            number: Self.pushes
        )
        let table = Table(
            "Accepted pushes, by the beginning of each \(stretchText) (UTC)",
            [.text("From")] + kindsShown.map { .number(KindText.title(Report.kinds[$0])) },
            rows(counts),
            sums: sums(counts)
        )
        let bar = ["hour", "day"].contains(stretchText) ? "one \(stretchText)" : stretchText
        let text = "Each bar is \(bar) (UTC). The kinds have the same scale. \(busiest)"
        return ReportSection("sent", title, [ReportSection.text(text), chart.node, table.folded])
    }

    private typealias Measure = (title: String, column: String, count: @Sendable (Report.Stretch) -> Int)

    private static let measures: [Measure] = [
        ("Rejected for good", "Rejected", { $0.others[.rejected] ?? 0 }),
        ("Tokens gone (410)", "Tokens gone", { $0.gone }),
        ("Deferred, tried again", "Deferred", { $0.others[.deferred] ?? 0 }),
        ("Unknown: sent, no answer", "Unknown", { $0.others[.unknown] ?? 0 }),
        ("Dropped: ended unsent", "Dropped", { $0.others[.dropped] ?? 0 }),
        ("Skipped: slot passed", "Skipped", { $0.others[.skipped] ?? 0 }),
    ]

    var troubles: ReportSection {
        let title = "What did not arrive, by time"
        let measures = Self.measures.filter { measure in report.stretches.contains { measure.count($0) > 0 } }
        guard !measures.isEmpty else {
            let none = "Nothing was rejected, deferred, unknown, dropped or skipped in this time."
            return ReportSection("troubles", title, [ReportSection.text(none)])
        }
        let summary = measures.map { measure in
            "\(measure.title): \(shown(report.stretches.reduce(0) { $0 + measure.count($1) }))"
        }
        let chart = ColumnChart(
            ChartLabel(
                id: "troubles-chart",
                title: "\(title): rows each \(stretchText)",
                summary: summary.joined(separator: "; ") + ". The table below has every number."
            ),
            panels: measures.map { panel($0.title, paint: "trouble", $0.count) },
            marks: TimeText.marks(report.window),
            isScaleShared: false,
            panelHeight: 56,
            number: { Elapsed.grouped($0) }
        )
        let table = Table(
            "What did not arrive, by the beginning of each \(stretchText) (UTC)",
            [.text("From")] + measures.map { .number($0.column) },
            rows { stretch in measures.map { $0.count(stretch) } },
            sums: sums { stretch in measures.map { $0.count(stretch) } }
        )
        let explanation =
            "Each panel has its own scale, with its maximum at the right. Outcomes that did not occur have no panel. "
            + "Tokens gone are also counted as rejected."
        return ReportSection("troubles", title, [ReportSection.text(explanation), chart.node, table.folded])
    }

    @Sendable private static func pushes(_ number: Int) -> String { Elapsed.counted(number, "push", "pushes") }

    private func panel(_ title: String, paint: StaticString, _ count: (Report.Stretch) -> Int) -> Panel {
        let window = report.window
        let bars = report.stretches.enumerated().map { place, stretch in
            let number = numbers.count(count(stretch))
            let span = TimeText.span(from: window.beginning(of: place), until: window.beginning(of: place + 1))
            return Panel.Bar(number.value, "\(span): \(number.text)")
        }
        return Panel(title, bars, paint: paint)
    }

    private var busiest: String {
        let counts = report.stretches.map { $0.accepted.reduce(0, +) }
        guard let most = counts.max(), let place = counts.firstIndex(of: most) else { return "" }
        let began = TimeText.minute(report.window.beginning(of: place))
        return "The busiest \(stretchText) began \(began): \(counted(most, "push", "pushes"))."
    }

    /// Only the stretches that have a count above zero.
    private func rows(_ counts: (Report.Stretch) -> [Int]) -> [[String]] {
        report.stretches.enumerated().compactMap { place, stretch in
            let counts = counts(stretch)
            guard counts.contains(where: { $0 > 0 }) else { return nil }
            return [TimeText.minute(report.window.beginning(of: place))] + counts.map(shown)
        }
    }

    private func sums(_ counts: (Report.Stretch) -> [Int]) -> [String] {
        let all = report.stretches.map(counts)
        return ["All"] + (all.first ?? []).indices.map { place in shown(all.reduce(0) { $0 + $1[place] }) }
    }

    // MARK: Local hours

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
            return ReportSection("hours", title, [ReportSection.text(text)])
        }
        let bars = local.hours.enumerated().map { hour, counts in
            let number = numbers.count(counts.reduce(0, +))
            return Panel.Bar(number.value, "\(Self.hour(hour)) to \(Self.hour(hour + 1)): \(number.text)")
        }
        let chart = ColumnChart(
            ChartLabel(
                id: "hours-chart",
                title: "\(title): pushes each local hour",
                summary: "\(quietText). \(quietCounts) The table below has every number."
            ),
            panels: [Panel("", bars)],
            marks: [0, 6, 12, 18, 24].map { (Double($0) / 24, Self.hour($0)) },
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
            "hours",
            title,
            [
                ReportSection.text("\(quietText), for people who set none. \(quietCounts)"), chart.node,
                hoursTable.folded, ReportSection.text(explanation),
            ] + (local.unplaced > 0 ? [ReportSection.text(unplaced)] : [])
        )
    }

    private static func hour(_ hour: Int) -> String { "\(InstantText.two(hour)):00" }

    /// The rules' quiet hours as parts of a day. There are two parts if they pass midnight.
    private var shades: [ClosedRange<Double>] {
        guard let hours = report.rules.quietHours, !hours.isNone else { return [] }
        let (start, end) = (Double(hours.start.minutes) / 1440, Double(hours.end.minutes) / 1440)
        return start < end ? [start...end] : (end > 0 ? [0...end] : []) + [start...1]
    }

    private var quietCounts: String {
        let local = report.local
        func sentence(_ whose: String, _ inside: Int, _ all: Int, _ these: String) -> String {
            "Of pushes to people \(whose), \(shown(inside)) of \(shown(all)) were sent within \(these)."
        }
        var sentences: [String] = []
        if local.withDefaultQuietHours > 0, report.rules.quietHours?.isNone == false {
            let (inside, all) = (local.inDefaultQuietHours, local.withDefaultQuietHours)
            sentences.append(sentence("who set none", inside, all, "them"))
        }
        if local.withOwnQuietHours > 0 {
            let (inside, all) = (local.inOwnQuietHours, local.withOwnQuietHours)
            sentences.append(sentence("with quiet hours of their own", inside, all, "theirs"))
        }
        return sentences.joined(separator: " ")
    }

    private var hoursTable: Table {
        let local = report.local
        let last = Report.kinds.count - 1
        let kinds = Report.kinds.indices.filter { kind in kind < last || local.hours.contains { $0[kind] > 0 } }
        let sums = kinds.map { kind in local.hours.reduce(0) { $0 + $1[kind] } }
        return Table(
            "Accepted pushes by local hour",
            [.text("Local hour")] + kinds.map { .number(KindText.title(Report.kinds[$0])) } + [.number("All")],
            local.hours.enumerated().map { hour, counts in
                [Self.hour(hour)] + kinds.map { shown(counts[$0]) } + [shown(counts.reduce(0, +))]
            },
            sums: ["All"] + sums.map(shown) + [shown(local.placed)]
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
        let others = ReportSection.text(
            "The record does not say when messages and reminders were due. The journal says how long each sweep takes."
        )
        guard told > 0 else {
            let none = ReportSection.text("No accepted check-in has a known time.")
            return ReportSection("lateness", title, [none, others])
        }
        let rows = zip(Self.latenessTexts, report.lateness).map { [$0, shown($1)] }
        let chart = bars(
            "lateness",
            title,
            Self.latenessTexts,
            report.lateness,
            summary: rows.map { "\($0[0]): \($0[1])" }.joined(separator: "; ") + "."
        )
        let columns: [Table.Column] = [.text("After its time"), .number("Check-ins")]
        let table = Table(title, columns, rows, sums: ["All", shown(told)])
        let explanation =
            "From the slot's local time to the attempt that Apple accepted. It includes the time that a check-in "
            + "waited for quiet hours, limits and pauses. A check-in that is later than "
            + "policy.maxStalenessMinutes is skipped, and not in the chart."
        let untimed =
            "Not in the chart: \(counted(report.untimed, "check-in", "check-ins")) whose time is not known, "
            + "because of no valid zone, or of jitter (policy.spreadMinutes)."
        let more = report.untimed > 0 ? [ReportSection.text(untimed), others] : [others]
        return ReportSection("lateness", title, [ReportSection.text(explanation), chart, table.folded] + more)
    }
}
