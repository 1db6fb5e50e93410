import HTML
import Service
import Core

/// The sections about outcomes and reasons.
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
            return ReportSection(
                id: "outcomes",
                title: title,
                parts: [.text("The record has nothing for this time.")]
            )
        }
        let counts = Self.outcomeTexts.map { report.count($0.0) }
        let shares = numbers.shares(of: counts)
        let lines = counts.indices.map { line(Self.outcomeTexts[$0].1, counts[$0], share: shares?[$0]) }
        let chart = BarList(
            id: "outcomes-chart",
            title: "Outcomes: rows of the record",
            summary: "\(counted(report.all, "row", "rows")). "
                + lines.map { "\($0.name): \($0.number)" }.joined(separator: "; ") + ".",
            lines: lines
        )
        let table = Table(
            "Rows of the record by outcome",
            [.text("Outcome"), .number("Rows"), .number("Share")],
            counts.indices.map { [Self.outcomeTexts[$0].1, shown(counts[$0]), shares?[$0] ?? ""] },
            sums: ["All", shown(report.all), ""]
        )
        return ReportSection(
            id: "outcomes",
            title: title,
            parts: [.node(chart.node), .node(table.folded)]
                + reasons(
                    [.rejected, .deferred, .unknown],
                    id: "refused",
                    title: "Rejected, deferred and unknown, by reason",
                    none: "No push was rejected, deferred or unknown."
                )
        )
    }

    var unsent: ReportSection {
        let explanation =
            "Messages and reminders that ended before they could be sent (dropped), "
            + "and check-ins whose slot passed (skipped)."
        let held =
            "Users who get nothing by the rules (no device, not opted in, paused) are not in the record. "
            + "nudged forecast counts them by reason."
        return ReportSection(
            id: "unsent",
            title: "Not sent at all, by reason",
            parts: [.text(explanation)]
                + reasons(
                    [.dropped, .skipped],
                    id: "unsent",
                    title: "Dropped and skipped, by reason",
                    none: "Nothing was dropped or skipped in this time."
                ) + [.text(held)]
        )
    }

    private func reasons(
        _ outcomes: [DeliveryRecord.Outcome],
        id: String,
        title: String,
        none: String
    ) -> [ReportSection.Part] {
        let reasons = report.reasons(of: outcomes)
        guard !reasons.isEmpty else { return [.text(none)] }
        let all = reasons.reduce(0) { $0 + $1.count }
        let shares = numbers.shares(of: reasons.map { $0.count })
        func text(_ entry: Report.ReasonedOutcome) -> String {
            let reason = entry.reason.isEmpty ? "no reason given" : entry.reason
            // The table has the complete reason.
            return "\(entry.outcome.rawValue): \(reason.count > 34 ? "\(reason.prefix(33))…" : reason)"
        }
        let drawn = reasons.prefix(Self.mostReasons)
        let chart = BarList(
            id: "\(id)-chart",
            title: title,
            summary: "\(counted(all, "row", "rows")), \(Elapsed.counted(reasons.count, "reason", "reasons")). "
                + "The most frequent is \(text(reasons[0].entry)).",
            lines: drawn.enumerated().map { line(text($1.entry), $1.count, share: shares?[$0]) }
        )
        let table = Table(
            title,
            [.text("Outcome"), .text("Reason"), .number("Rows")],
            reasons.prefix(Self.mostRows).map { reason in
                [
                    reason.entry.outcome.rawValue, reason.entry.reason.isEmpty ? "none given" : reason.entry.reason,
                    shown(reason.count),
                ]
            },
            sums: ["All", "", shown(all)]
        )
        let more: [ReportSection.Part] =
            reasons.count > drawn.count
            ? [.text("The chart has the \(drawn.count) most frequent of \(reasons.count) reasons.")] : []
        return [.node(.element("h3", text: title)), .node(chart.node)] + more
            + [.node(table.folded)]
    }

    /// The most reasons in a chart, and in a table.
    private static let mostReasons = 12
    private static let mostRows = 200
}
