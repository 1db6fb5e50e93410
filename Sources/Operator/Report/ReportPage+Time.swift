import Service
import HTML
import Core
import TimeZones

/// The sections about outcomes over time.
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
        let bar = stretchText == "hour" ? "one hour" : stretchText == "day" ? "one day" : stretchText
        let title = "Accepted pushes by time and kind"
        guard report.count(.accepted) > 0 else {
            return ReportSection(id: "sent", title: title, parts: [.text("Apple accepted nothing in this time.")])
        }
        let panels = kindsShown.map { kind in
            panel(KindText.title(Report.kinds[kind]), paint: "bar") { $0.accepted[kind] }
        }
        let busiest = busiest { $0.accepted.reduce(0, +) }
        let chart = ColumnChart(
            id: "sent-chart",
            title: "\(title): pushes each \(stretchText)",
            summary: "\(counted(report.count(.accepted), "push", "pushes")) in all. \(busiest) "
                + "The table below has every number.",
            panels: panels,
            marks: TimeText.marks(report.window),
            isScaleShared: true,
            panelHeight: 90,
            number: Self.pushes
        )
        let table = Table(
            "Accepted pushes, by the beginning of each \(stretchText) (UTC)",
            [.text("From")] + kindsShown.map { .number(KindText.title(Report.kinds[$0])) },
            rows { stretch in kindsShown.map { stretch.accepted[$0] } },
            sums: sums { stretch in kindsShown.map { stretch.accepted[$0] } }
        )
        return ReportSection(
            id: "sent",
            title: title,
            parts: [
                .text("Each bar is \(bar) (UTC). The kinds have the same scale. \(busiest)"), .node(chart.node),
                .node(table.folded),
            ]
        )
    }

    var troubles: ReportSection {
        let title = "What did not arrive, by time"
        let measures = Self.measures.filter { measure in report.stretches.contains { measure.count($0) > 0 } }
        guard !measures.isEmpty else {
            return ReportSection(
                id: "troubles",
                title: title,
                parts: [.text("Nothing was rejected, deferred, unknown, dropped or skipped in this time.")]
            )
        }
        let chart = ColumnChart(
            id: "troubles-chart",
            title: "\(title): rows each \(stretchText)",
            summary: measures.map { measure in
                "\(measure.title): \(shown(report.stretches.reduce(0) { $0 + measure.count($1) }))"
            }.joined(separator: "; ") + ". The table below has every number.",
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
        return ReportSection(
            id: "troubles",
            title: title,
            parts: [.text(explanation), .node(chart.node), .node(table.folded)]
        )
    }

    // MARK: Parts

    private struct Measure: Sendable {
        let title: String
        let column: String
        let count: @Sendable (Report.Stretch) -> Int

        init(_ title: String, _ column: String, _ outcome: DeliveryRecord.Outcome) {
            self.init(title, column) { $0.others[outcome] ?? 0 }
        }

        init(_ title: String, _ column: String, count: @escaping @Sendable (Report.Stretch) -> Int) {
            (self.title, self.column, self.count) = (title, column, count)
        }
    }

    private static let measures: [Measure] = [
        Measure("Rejected for good", "Rejected", .rejected),
        Measure("Tokens gone (410)", "Tokens gone", count: { $0.gone }),
        Measure("Deferred, tried again", "Deferred", .deferred),
        Measure("Unknown: sent, no answer", "Unknown", .unknown),
        Measure("Dropped: ended unsent", "Dropped", .dropped),
        Measure("Skipped: slot passed", "Skipped", .skipped),
    ]

    @Sendable static func pushes(_ number: Int) -> String { Elapsed.counted(number, "push", "pushes") }

    private func span(_ place: Int) -> String {
        TimeText.span(from: report.window.beginning(of: place), until: report.window.beginning(of: place + 1))
    }

    private func panel(_ title: String, paint: StaticString, _ count: (Report.Stretch) -> Int) -> Panel {
        Panel(
            title,
            report.stretches.enumerated().map { place, stretch in
                let number = numbers.count(count(stretch))
                return Panel.Bar(number.value, "\(span(place)): \(number.text)")
            },
            paint: paint
        )
    }

    private func busiest(_ count: (Report.Stretch) -> Int) -> String {
        let counts = report.stretches.map(count)
        guard let most = counts.max(), let place = counts.firstIndex(of: most) else { return "" }
        return
            "The busiest \(stretchText) began \(TimeText.minute(report.window.beginning(of: place))): "
            + "\(counted(most, "push", "pushes"))."
    }

    /// Only the stretches that have a count above zero.
    private func rows(_ counts: (Report.Stretch) -> [Int]) -> [[String]] {
        report.stretches.enumerated().compactMap { place, stretch in
            let counts = counts(stretch)
            guard counts.contains(where: { $0 > 0 }) else { return nil }
            return [TimeText.minute(report.window.beginning(of: place))] + counts.map { shown($0) }
        }
    }

    private func sums(_ counts: (Report.Stretch) -> [Int]) -> [String] {
        let all = report.stretches.map(counts)
        let width = all.first?.count ?? 0
        return ["All"] + (0..<width).map { place in shown(all.reduce(0) { $0 + $1[place] }) }
    }
}
