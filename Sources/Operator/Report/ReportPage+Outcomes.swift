import Core
import HTML
import Service
import TimeZones

/// The sections about outcomes, people, sweeps and daemons.
extension ReportPage {
    private static let outcomeTexts: [(DeliveryRecord.Outcome, String)] = [
        (.accepted, "Accepted: Apple took it"), (.rejected, "Rejected for good"),
        (.deferred, "Deferred: tried again later"),
        (.unknown, "Unknown: sent, and no answer came"), (.dropped, "Dropped: ended unsent"),
        (.skipped, "Skipped: its slot passed"),
    ]

    var outcomes: ReportSection {
        let title = "Outcomes, and Apple's reasons"
        guard report.all > 0 else {
            return ReportSection("outcomes", title, [ReportSection.text("The record has nothing for this time.")])
        }
        let names = Self.outcomeTexts.map(\.1)
        let counts = Self.outcomeTexts.map { report.count($0.0) }
        let shares = numbers.shares(of: counts)
        let numbersAndShares = counts.indices.map { place in
            counts[place] > 0
                ? shares.map { "\(shown(counts[place])) (\($0[place]))" } ?? shown(counts[place]) : shown(counts[place])
        }
        let summary = zip(names, numbersAndShares).map { "\($0): \($1)" }.joined(separator: "; ")
        let table = Table(
            "Rows of the record by outcome",
            [.text("Outcome"), .number("Rows"), .number("Share")],
            counts.indices.map { [names[$0], shown(counts[$0]), shares?[$0] ?? ""] },
            sums: ["All", shown(report.all), ""]
        )
        let chart = bars(
            "outcomes",
            "Outcomes: rows of the record",
            names,
            counts,
            summary: "\(counted(report.all, "row", "rows")). \(summary)."
        )
        let refused = reasons(
            [.rejected, .deferred, .unknown],
            id: "refused",
            title: "Rejected, deferred and unknown, by reason",
            none: "No push was rejected, deferred or unknown."
        )
        return ReportSection("outcomes", title, [chart, table.folded] + refused)
    }

    var unsent: ReportSection {
        let explanation =
            "Messages and reminders that ended before they could be sent (dropped), "
            + "and check-ins whose slot passed (skipped)."
        let held =
            "Users who get nothing by the rules (no device, not opted in, paused) are not in the record. "
            + "nudged forecast counts them by reason."
        let reasons = reasons(
            [.dropped, .skipped],
            id: "unsent",
            title: "Dropped and skipped, by reason",
            none: "Nothing was dropped or skipped in this time."
        )
        return ReportSection(
            "unsent",
            "Not sent at all, by reason",
            [ReportSection.text(explanation)] + reasons + [ReportSection.text(held)]
        )
    }

    /// The most reasons in a chart, and in a table.
    private static let mostReasons = 12
    private static let mostRows = 200

    private func reasons(
        _ outcomes: [DeliveryRecord.Outcome],
        id: String,
        title: String,
        none: String
    ) -> [Node] {
        let reasons = report.reasons(of: outcomes)
        guard !reasons.isEmpty else { return [ReportSection.text(none)] }
        let all = reasons.reduce(0) { $0 + $1.count }
        // The table has the complete reason.
        let names = reasons.prefix(Self.mostReasons).map { entry, _ in
            let reason = entry.reason.isEmpty ? "no reason given" : entry.reason
            return "\(entry.outcome.rawValue): \(reason.count > 34 ? "\(reason.prefix(33))…" : reason)"
        }
        let chart = bars(
            id,
            title,
            names,
            reasons.prefix(Self.mostReasons).map(\.count),
            shares: numbers.shares(of: reasons.map(\.count)),
            summary: "\(counted(all, "row", "rows")), \(Elapsed.counted(reasons.count, "reason", "reasons")). "
                + "The most frequent is \(names[0])."
        )
        let table = Table(
            title,
            [.text("Outcome"), .text("Reason"), .number("Rows")],
            reasons.prefix(Self.mostRows).map { entry, count in
                [entry.outcome.rawValue, entry.reason.isEmpty ? "none given" : entry.reason, shown(count)]
            },
            sums: ["All", "", shown(all)]
        )
        let more = "The chart has the \(names.count) most frequent of \(reasons.count) reasons."
        return [.element("h3", text: title), chart]
            + (reasons.count > names.count ? [ReportSection.text(more)] : []) + [table.folded]
    }

    // MARK: People

    var people: ReportSection {
        let (title, people) = ("People reached", report.people)
        guard people.all > 0 else {
            return ReportSection("people", title, [ReportSection.text("Apple accepted nothing in this time.")])
        }
        let kinds = Report.kinds.filter { $0 != Report.kinds.last || people.byKind[$0] != nil }
        let table = Table(
            "People reached, by kind",
            [.text("Kind"), .number("People")],
            kinds.map { [KindText.title($0), shown(people.byKind[$0] ?? 0)] },
            sums: ["Any kind", shown(people.all)]
        )
        let explanation =
            "People with at least one push that Apple accepted. A person who got several kinds is in each of their "
            + "lines, and once in the last line."
        return ReportSection("people", title, [ReportSection.text(explanation), table.node])
    }

    // MARK: Sweeps

    private static let sizeTexts = [
        "fewer than 5 rows", "5 to 49 rows", "50 to 499 rows", "500 to 4,999 rows", "5,000 rows and more",
    ]

    var sweeps: ReportSection {
        let title = "Sweeps by how much they recorded"
        let counts = report.sweepSizes.map { $0?.sweeps ?? 0 }
        let all = counts.reduce(0, +)
        guard all > 0 else {
            return ReportSection("sweeps", title, [ReportSection.text("No sweep recorded anything in this time.")])
        }
        let summary = zip(Self.sizeTexts, counts).map { "\($0): \(counted($1, "sweep", "sweeps"))" }
        let chart = bars(
            "sweeps",
            "\(title): sweeps",
            Self.sizeTexts,
            counts,
            summary: summary.joined(separator: "; ") + "."
        )
        let table = Table(
            title,
            [.text("Size"), .number("Sweeps"), .number("Rows"), .number("Longest")],
            zip(Self.sizeTexts, report.sweepSizes).map { text, size in
                let longest = size.map { Elapsed.text($0.seconds) } ?? ""
                return [text, shown(size?.sweeps ?? 0), shown(size?.records ?? 0), longest]
            },
            sums: ["All", shown(all), shown(report.sweepSizes.reduce(0) { $0 + ($1?.records ?? 0) }), ""]
        )
        let explanation =
            "A sweep that found nothing to do has no row and is not counted. A sweep's length is from its first "
            + "attempt to its last, in whole seconds of the policy's clock."
        return ReportSection("sweeps", title, [ReportSection.text(explanation), chart, table.folded] + largest)
    }

    private var largest: [Node] {
        guard !report.largestSweeps.isEmpty else { return [] }
        let columns = ["Rows", "Accepted", "Rejected, deferred", "Unknown", "Not sent", "Length"]
        let table = Table(
            "The largest sweeps of at least \(Report.leastSweep) rows",
            [.text("Began (UTC)")] + columns.map { .number($0) },
            report.largestSweeps.map { sweep in
                let counts = [sweep.records, sweep.accepted, sweep.refused, sweep.unknown, sweep.unsent]
                return [sweep.began.map(TimeText.minute) ?? ""] + counts.map(shown) + [Elapsed.text(sweep.seconds)]
            }
        )
        let journal =
            "The journal has a line for each sweep that did something: journalctl -u nudged NUDGED_EVENT=sweep."
        return [table.folded, ReportSection.text(journal)]
    }

    // MARK: Daemons

    /// The page may be passed on: it names no host and no error's text.
    var daemons: ReportSection {
        let title = "Daemons when this was counted"
        guard !report.daemons.isEmpty else {
            let none = "None was seen within a day: nothing is sent until one is started (systemctl start nudged)."
            return ReportSection("daemons", title, [ReportSection.text(none)])
        }
        let rows = report.daemons.enumerated().map { place, daemon in
            let unseen = "not seen for \(Elapsed.text(daemon.unseenMilliseconds / 1000))"
            let started = Elapsed.text(report.window.now - daemon.startedAt)
            return ["\(place + 1)", daemon.isAlive ? "alive" : unseen, started, daemon.version, Self.lanes(daemon)]
        }
        let table = Table(
            "Daemons that were seen within a day",
            ["Daemon", "State", "Started (ago)", "Version", "Lanes"].map { .text($0) },
            rows
        )
        let text =
            switch report.daemons.count(where: \.isAlive) {
            case 0: "None is alive: nothing is sent until one is started."
            case 1: "One is alive."
            case let alive: "\(alive) are alive."
            }
        let more = ReportSection.text("\(text) nudged status shows their hosts and more.")
        return ReportSection("daemons", title, [more, table.node])
    }

    /// `production com.example.app: connected`, for each lane. Empty if the state can't be read.
    private static func lanes(_ daemon: DaemonRow) -> String {
        let lanes = DaemonState(json: daemon.state)?.lanes ?? []
        return lanes.map { "\($0.name)\($0.otherServer == nil ? "" : ", not Apple's server"): \($0.state.text)" }
            .joined(separator: "; ")
    }
}
