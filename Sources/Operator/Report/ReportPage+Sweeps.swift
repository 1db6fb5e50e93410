import Service
import HTML
import Core
import TimeZones

/// The sections about sweeps and daemons.
extension ReportPage {
    private static let sizeTexts = [
        "fewer than 5 rows", "5 to 49 rows", "50 to 499 rows", "500 to 4,999 rows", "5,000 rows and more",
    ]

    var sweeps: ReportSection {
        let title = "Sweeps by how much they recorded"
        let all = report.sweepSizes.reduce(0) { $0 + ($1?.sweeps ?? 0) }
        guard all > 0 else {
            return ReportSection(
                id: "sweeps",
                title: title,
                parts: [.text("No sweep recorded anything in this time.")]
            )
        }
        let counts = report.sweepSizes.map { $0?.sweeps ?? 0 }
        let shares = numbers.shares(of: counts)
        let chart = BarList(
            id: "sweeps-chart",
            title: "\(title): sweeps",
            summary: zip(Self.sizeTexts, counts).map { "\($0): \(counted($1, "sweep", "sweeps"))" }
                .joined(separator: "; ") + ".",
            lines: counts.indices.map { line(Self.sizeTexts[$0], counts[$0], share: shares?[$0]) }
        )
        let table = Table(
            title,
            [.text("Size"), .number("Sweeps"), .number("Rows"), .number("Longest")],
            zip(Self.sizeTexts, report.sweepSizes).map { text, size in
                [
                    text, shown(size?.sweeps ?? 0), shown(size?.records ?? 0),
                    size.map { Elapsed.text($0.seconds) } ?? "",
                ]
            },
            sums: ["All", shown(all), shown(report.sweepSizes.reduce(0) { $0 + ($1?.records ?? 0) }), ""]
        )
        let explanation =
            "A sweep that found nothing to do has no row and is not counted. A sweep's length is from its first "
            + "attempt to its last, in whole seconds of the policy's clock."
        return ReportSection(
            id: "sweeps",
            title: title,
            parts: [.text(explanation), .node(chart.node), .node(table.folded)] + largest
        )
    }

    private var largest: [ReportSection.Part] {
        guard !report.largestSweeps.isEmpty else { return [] }
        let table = Table(
            "The largest sweeps of at least \(ReportRun.leastSweep) rows",
            [
                .text("Began (UTC)"), .number("Rows"), .number("Accepted"), .number("Rejected, deferred"),
                .number("Unknown"),
                .number("Not sent"), .number("Length"),
            ],
            report.largestSweeps.map { sweep in
                [sweep.began.map(TimeText.minute) ?? ""]
                    + [sweep.records, sweep.accepted, sweep.refused, sweep.unknown, sweep.unsent].map {
                        shown($0)
                    }
                    + [Elapsed.text(sweep.seconds)]
            }
        )
        return [
            .node(table.folded),
            .text(
                "The journal has a line for each sweep that did something: journalctl -u nudged NUDGED_EVENT=sweep."
            ),
        ]
    }

    // MARK: Daemons

    var daemons: ReportSection {
        let title = "Daemons when this was counted"
        let now = report.window.now
        guard !report.daemons.isEmpty else {
            return ReportSection(
                id: "daemons",
                title: title,
                parts: [
                    .text(
                        "None was seen within a day: nothing is sent until one is started (systemctl start nudged)."
                    )
                ]
            )
        }
        let rows = report.daemons.enumerated().map { place, daemon in
            [
                "\(place + 1)", DaemonText.state(daemon), Elapsed.text(now - daemon.startedAt), daemon.version,
                DaemonText.lanes(daemon),
            ]
        }
        let alive = report.daemons.filter(DaemonText.isAlive).count
        let table = Table(
            "Daemons that were seen within a day",
            [.text("Daemon"), .text("State"), .text("Started (ago)"), .text("Version"), .text("Lanes")],
            rows
        )
        let text =
            alive == 0
            ? "None is alive: nothing is sent until one is started."
            : alive == 1 ? "One is alive." : "\(alive) are alive."
        return ReportSection(
            id: "daemons",
            title: title,
            parts: [.text("\(text) nudged status shows their hosts and more."), .node(table.node)]
        )
    }
}
