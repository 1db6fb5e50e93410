import Service
import HTML
import Store
import TimeZones

/// The sections about sweeps and daemons.
extension ReportPage {
    private static let sizeWords = [
        "fewer than 5 rows", "5 to 49 rows", "50 to 499 rows", "500 to 4,999 rows", "5,000 rows and more",
    ]

    var sweeps: ReportSection {
        let title = "Sweeps by how much they recorded"
        let all = report.sweepSizes.reduce(0) { $0 + ($1?.sweeps ?? 0) }
        guard all > 0 else {
            return ReportSection(
                id: "sweeps",
                title: title,
                parts: [.words("No sweep recorded anything in this time.")]
            )
        }
        let counts = report.sweepSizes.map { $0?.sweeps ?? 0 }
        let shares = numbers.shares(of: counts)
        let chart = BarList(
            id: "sweeps-chart",
            title: "\(title): sweeps",
            summary: zip(Self.sizeWords, counts).map { "\($0): \(counted($1, "sweep", "sweeps"))" }
                .joined(separator: "; ") + ".",
            lines: counts.indices.map { line(Self.sizeWords[$0], counts[$0], share: shares?[$0]) }
        )
        let table = Table(
            title,
            [.words("Size"), .number("Sweeps"), .number("Rows"), .number("Longest")],
            zip(Self.sizeWords, report.sweepSizes).map { words, size in
                [
                    words, shown(size?.sweeps ?? 0), shown(size?.records ?? 0),
                    size.map { Elapsed.words($0.seconds) } ?? "",
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
            parts: [.words(explanation), .node(chart.node), .node(table.folded)] + largest
        )
    }

    private var largest: [ReportSection.Part] {
        guard !report.largestSweeps.isEmpty else { return [] }
        let table = Table(
            "The largest sweeps of at least \(ReportRun.leastSweep) rows",
            [
                .words("Began (UTC)"), .number("Rows"), .number("Accepted"), .number("Rejected, deferred"),
                .number("Unknown"),
                .number("Not sent"), .number("Length"),
            ],
            report.largestSweeps.map { sweep in
                [sweep.began.map(TimeWords.minute) ?? ""]
                    + [sweep.records, sweep.accepted, sweep.refused, sweep.unknown, sweep.unsent].map {
                        shown($0)
                    }
                    + [Elapsed.words(sweep.seconds)]
            }
        )
        return [
            .node(table.folded),
            .words(
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
                    .words(
                        "None was seen within a day: nothing is sent until one is started (systemctl start nudged)."
                    )
                ]
            )
        }
        let rows = report.daemons.enumerated().map { place, daemon in
            [
                "\(place + 1)", DaemonWords.state(daemon), Elapsed.words(now - daemon.startedAt), daemon.version,
                DaemonWords.lanes(daemon),
            ]
        }
        let alive = report.daemons.filter(DaemonWords.isAlive).count
        let table = Table(
            "Daemons that were seen within a day",
            [.words("Daemon"), .words("State"), .words("Started (ago)"), .words("Version"), .words("Lanes to Apple")],
            rows
        )
        let words =
            alive == 0
            ? "None is alive: nothing is sent until one is started."
            : alive == 1 ? "One is alive." : "\(alive) are alive."
        return ReportSection(
            id: "daemons",
            title: title,
            parts: [.words("\(words) nudged status shows their hosts and more."), .node(table.node)]
        )
    }
}
