import Core
import Policy
import Service
import TimeZones

extension ReportPage {
    /// Rows of the record that a panel of bars shows over time, and a column of the table.
    private typealias Measure = (title: String, column: String, isCounted: @Sendable (DeliveryCount) -> Bool)

    private func panels(_ measures: [Measure], paint: StaticString) -> [Panel] {
        let window = report.window
        return measures.map { measure in
            let bars = report.stretches.enumerated().map { place, rows -> Panel.Bar in
                let number = numbers.count(rows.sum(measure.isCounted))
                let span = TimeText.span(from: window.beginning(of: place), until: window.beginning(of: place + 1))
                return (number.value, "\(span): \(number.text)")
            }
            return Panel(title: measure.title, bars: bars, paint: paint)
        }
    }

    private func table(_ what: String, _ measures: [Measure]) -> Table {
        let rows = report.stretches.enumerated().compactMap { place, rows -> [String]? in
            let counts = measures.map { rows.sum($0.isCounted) }
            guard counts.contains(where: { $0 > 0 }) else { return nil }
            return [TimeText.minute(report.window.beginning(of: place))] + counts.map(shown)
        }
        let caption = "\(what), by the beginning of each \(stretchText) (UTC)"
        let sums = ["All"] + measures.map { shown(report.count($0.isCounted)) }
        return Table(caption, ["From"] + measures.map(\.column), rows, sums: sums)
    }

    private var marks: [ColumnChart.Mark] { TimeText.marks(report.window) }

    private var stretchText: String {
        let hours = report.window.stretchHours
        return hours == 1 ? "hour" : hours == 24 ? "day" : hours > 24 ? "\(hours / 24) days" : "\(hours) hours"
    }

    @Sendable private static func pushes(_ number: Int) -> String { Elapsed.counted(number, "push", "pushes") }

    var sent: Section {
        let (id, title, all) = ("sent", "Accepted pushes by time and kind", report.count(.accepted))
        guard all > 0 else { return (id, title, [.p("Apple accepted nothing in this time.")]) }
        let hasOthers = report.count { $0.outcome == .accepted && $0.kind == "other" } > 0
        let measures = Self.kinds(hasOthers: hasOthers).map { kind -> Measure in
            (KindText.title(kind), KindText.title(kind), { $0.outcome == .accepted && $0.kind == kind })
        }
        let summary = "\(counted(all, "push", "pushes")) in all. \(busiest) The table below has every number."
        let label = ChartLabel(id: "sent-chart", title: "\(title): pushes each \(stretchText)", summary: summary)
        let panels = panels(measures, paint: "bar")
        let chart = ColumnChart(label: label, panels: panels, marks: marks, panelHeight: 90, number: Self.pushes)
        let bar = ["hour", "day"].contains(stretchText) ? "one \(stretchText)" : stretchText
        let text = "Each bar is \(bar) (UTC). The kinds have the same scale. \(busiest)"
        return (id, title, [.p(text), chart.node, table("Accepted pushes", measures).folded])
    }

    private var busiest: String {
        let counts = report.stretches.map { rows in rows.sum { $0.outcome == .accepted } }
        guard let most = counts.max(), let place = counts.firstIndex(of: most) else { return "" }
        let began = TimeText.minute(report.window.beginning(of: place))
        return "The busiest \(stretchText) began \(began): \(counted(most, "push", "pushes"))."
    }

    private static let troubles: [Measure] = [
        ("Rejected for good", "Rejected", { $0.outcome == .rejected }),
        ("Tokens gone (410)", "Tokens gone", { $0.isGone }),
        ("Deferred, tried again", "Deferred", { $0.outcome == .deferred }),
        ("Unknown: sent, no answer", "Unknown", { $0.outcome == .unknown }),
        ("Dropped: ended unsent", "Dropped", { $0.outcome == .dropped }),
        ("Skipped: slot passed", "Skipped", { $0.outcome == .skipped }),
    ]

    var troubles: Section {
        let (id, title) = ("troubles", "What did not arrive, by time")
        let measures = Self.troubles.filter { report.count($0.isCounted) > 0 }
        guard !measures.isEmpty else {
            return (id, title, [.p("Nothing was rejected, deferred, unknown, dropped or skipped in this time.")])
        }
        let sums = measures.map { "\($0.title): \(shown(report.count($0.isCounted)))" }.joined(separator: "; ")
        let summary = "\(sums). The table below has every number."
        let label = ChartLabel(id: "troubles-chart", title: "\(title): rows each \(stretchText)", summary: summary)
        let panels = panels(measures, paint: "trouble")
        var chart = ColumnChart(label: label, panels: panels, marks: marks, panelHeight: 56, number: Elapsed.grouped)
        chart.isScaleShared = false
        let own = "Each panel has its own scale, with its maximum at the right."
        let explanation = "\(own) Outcomes that did not occur have no panel. Tokens gone are also counted as rejected."
        return (id, title, [.p(explanation), chart.node, table("What did not arrive", measures).folded])
    }

    var localHours: Section {
        let (id, title) = ("hours", "Accepted pushes by the user's local hour")
        let placed = report.hours.filter { $0.hour != nil }
        let unplaced = report.hours.sum { $0.hour == nil }
        guard placed.sum() > 0 else {
            let none = "Apple accepted nothing in this time."
            return (id, title, [.p(unplaced > 0 ? "No accepted push has a known time zone." : none)])
        }
        let shaded = report.rules.quietHours.flatMap { $0.isNone ? nil : "\($0.start) to \($0.end)" }
        let quiet = shaded.map { "Shaded: the rules' quiet hours, \($0)" } ?? "The rules have no quiet hours"
        let counts = quietCounts(placed)
        let bars = (0..<24).map { hour -> Panel.Bar in
            let number = numbers.count(placed.sum { $0.hour == hour })
            return (number.value, "\(Self.hour(hour)) to \(Self.hour(hour + 1)): \(number.text)")
        }
        let summary = "\(quiet). \(counts) The table below has every number."
        let label = ChartLabel(id: "hours-chart", title: "\(title): pushes each local hour", summary: summary)
        let panels = [Panel(title: "", bars: bars)]
        let marks: [ColumnChart.Mark] = [0, 6, 12, 18, 24].map { (Double($0) / 24, Self.hour($0)) }
        var chart = ColumnChart(label: label, panels: panels, marks: marks, panelHeight: 150, number: Self.pushes)
        chart.shades = shades
        let kinds = Self.kinds(hasOthers: placed.sum { $0.kind == "other" } > 0)
        func row(_ name: String, _ rows: [HourCount]) -> [String] {
            [name] + kinds.map { kind in shown(rows.sum { $0.kind == kind }) } + [shown(rows.sum())]
        }
        let rows = (0..<24).map { hour in row(Self.hour(hour), placed.filter { $0.hour == hour }) }
        let columns = ["Local hour"] + kinds.map(KindText.title) + ["All"]
        let table = Table("Accepted pushes by local hour", columns, rows, sums: row("All", placed))
        let explanation =
            "A push within quiet hours is not a fault: reminders that people set for themselves keep their hour, "
            + "and urgent messages are sent if they are allowed. The record has no quiet hours, so those of now are "
            + "used, also for people who have changed them since."
        let missing = "Not in the chart: \(counted(unplaced, "push", "pushes")) to people without a valid zone."
        let parts = [.p("\(quiet), for people who set none. \(counts)"), chart.node, table.folded, .p(explanation)]
        return (id, title, parts + (unplaced > 0 ? [.p(missing)] : []))
    }

    static func hour(_ hour: Int) -> String { "\(InstantText.two(hour)):00" }

    /// The rules' quiet hours as parts of a day. There are two parts if they pass midnight.
    private var shades: [ClosedRange<Double>] {
        guard let hours = report.rules.quietHours, !hours.isNone else { return [] }
        let (start, end) = (Double(hours.start.minutes) / 1440, Double(hours.end.minutes) / 1440)
        return start < end ? [start...end] : (end > 0 ? [0...end] : []) + [start...1]
    }

    private func quietCounts(_ placed: [HourCount]) -> String {
        func sentence(_ whose: String, _ rows: [HourCount], _ these: String) -> [String] {
            guard rows.sum() > 0 else { return [] }
            let (inside, all) = (shown(rows.sum(\.isQuiet)), shown(rows.sum()))
            return ["Of pushes to people \(whose), \(inside) of \(all) were sent within \(these)."]
        }
        let others = report.rules.quietHours?.isNone == false ? placed.filter { !$0.hasOwnQuietHours } : []
        let own = sentence("with quiet hours of their own", placed.filter(\.hasOwnQuietHours), "theirs")
        return (sentence("who set none", others, "them") + own).joined(separator: " ")
    }

    private static let latenessTexts = [
        "before its time (the time was changed later)", "within a minute", "1 to 5 minutes", "5 to 15 minutes",
        "15 minutes to an hour", "1 to 4 hours", "more than 4 hours",
    ]

    var lateness: Section {
        let (id, title) = ("lateness", "How late check-ins were sent")
        let checkIns = report.hours.filter { $0.kind == NudgeKind.checkIn.rawValue }
        let counts = HourCount.Lateness.allCases.map { lateness in checkIns.sum { $0.lateness == lateness } }
        let unknown = "The record does not say when messages and reminders were due."
        let others = Node.p("\(unknown) The journal says how long each sweep takes.")
        guard counts.contains(where: { $0 > 0 }) else {
            return (id, title, [.p("No accepted check-in has a known time."), others])
        }
        let rows = zip(Self.latenessTexts, counts).map { [$0, shown($1)] }
        let summary = rows.map { "\($0[0]): \($0[1])" }.joined(separator: "; ")
        let table = Table(title, ["After its time", "Check-ins"], rows, sums: ["All", shown(counts.reduce(0, +))])
        let waited = "It includes the time that a check-in waited for quiet hours, limits and pauses."
        let skipped = "A check-in that is later than policy.maxStalenessMinutes is skipped, and not in the chart."
        let explanation = "From the slot's local time to the attempt that Apple accepted. \(waited) \(skipped)"
        let untimed = checkIns.sum { $0.lateness == nil }
        let why = "whose time is not known, because of no valid zone, or of jitter (policy.spreadMinutes)"
        let missing = "Not in the chart: \(counted(untimed, "check-in", "check-ins")) \(why)."
        let label = ChartLabel(id: "lateness-chart", title: title, summary: "\(summary).")
        let parts = [.p(explanation), label.list(lines(Self.latenessTexts, counts)), table.folded]
        return (id, title, parts + (untimed > 0 ? [.p(missing)] : []) + [others])
    }
}
