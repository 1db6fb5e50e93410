import Core

extension ReportPage {
    /// Fewer users than this say nothing of how one differs from another.
    private static let fewest = 30

    var works: Section {
        let (id, title) = ("works", "What works")
        let kinds = Self.kinds(hasOthers: false).filter { kind in
            report.opens.contains { $0.kind == kind && $0.opened + $0.rated > 0 }
        }
        let none = "No app has said that a nudge was opened (nudged_me.opened) or helpful (nudged_me.feedback)."
        let explanation =
            "Nudges that were sent in this time, and how many of them users opened. A bar is the share's 95 % interval: "
            + "so far chance alone may move it. Bars that overlap show no difference. A nudge to several devices counts "
            + "once. Hours and days are the user's own."
        let parts = kinds.isEmpty ? [Node.p(none)] : [.p(explanation)] + kinds.flatMap(works)
        return (id, title, parts + withAndWithout)
    }

    private func works(_ kind: String) -> [Node] {
        let counts = report.opens.filter { $0.kind == kind }
        guard let all = counts.first(where: { $0.part == nil }) else { return [] }
        let title = KindText.title(kind)
        let share = numbers.share(of: all.opened, in: all.sent, users: all.users).map { ": \($0.text)" } ?? ""
        let rated = numbers.share(of: all.helpful, in: all.rated, users: all.raters).map { ": \($0.text)" } ?? ""
        let text =
            "Of \(shown(all.sent)) sent, \(shown(all.opened)) were opened\(share). "
            + "Of \(shown(all.rated)) with feedback, \(shown(all.helpful)) were helpful\(rated)."
        let charts = OpenCount.Part.allCases.flatMap { part in
            let parts = counts.filter { $0.part == part }
            return parts.isEmpty
                ? [] : chart(parts, all, id: "works-\(kind)-\(part)", title: "\(title) by \(part)")
        }
        return [.element("h3", text: title), .p(text)] + charts
    }

    private func chart(_ counts: [OpenCount], _ all: OpenCount, id: String, title: String) -> [Node] {
        let verdict = verdict(counts)
        let lines = counts.map { count -> BarList.Line in
            let share = numbers.share(of: count.opened, in: count.sent, users: count.users)
            return (
                "\(Self.name(count)): \(shown(count.opened)) of \(shown(count.sent))",
                share?.text ?? "too few for a share", share?.range ?? 0...0
            )
        }
        let label = ChartLabel(id: "\(id)-chart", title: "\(title): opened", summary: verdict)
        func row(_ name: String, _ count: OpenCount) -> [String] {
            [
                name, shown(count.sent), shown(count.opened),
                numbers.share(of: count.opened, in: count.sent, users: count.users)?.text ?? "",
                shown(count.rated), shown(count.helpful),
                numbers.share(of: count.helpful, in: count.rated, users: count.raters)?.text ?? "",
            ]
        }
        let columns = ["What", "Sent", "Opened", "Share (95 %)", "With feedback", "Helpful", "Share (95 %)"]
        let rows = counts.map { row(Self.name($0), $0) }
        let table = Table("\(title): opened and helpful", columns, rows, sums: row("All", all))
        return [.element("h4", text: title), .p(verdict), BarList(label: label, lines: lines).node, table.folded]
    }

    /// Whether any two differ by more than chance.
    private func verdict(_ counts: [OpenCount]) -> String {
        let compared = counts.filter { $0.users >= Self.fewest }.compactMap { count in
            numbers.share(of: count.opened, in: count.sent, users: count.users).map {
                (name: Self.name(count), range: $0.range)
            }
        }
        guard compared.count > 1, let best = compared.max(by: { $0.range.lowerBound < $1.range.lowerBound }),
            let worst = compared.min(by: { $0.range.upperBound < $1.range.upperBound })
        else { return "Too few to compare: less than two have \(Self.fewest) users." }
        if best.range.lowerBound > worst.range.upperBound {
            return "\(best.name) is opened more often than \(worst.name): the difference is more than chance."
        }
        return "All intervals overlap: the differences may be chance."
    }

    private static func name(_ count: OpenCount) -> String {
        switch count.part {
        case .template?: "Template \(count.value)"
        case .hour?: hour(count.value)
        case .weekday?: InstantText.weekdays[(max(count.value, 1) - 1) % 7]
        case nil: "All"
        }
    }

    /// What the holdout shows. Empty: no user is held out.
    private var withAndWithout: [Node] {
        let (with, without) = report.holdout
        guard without.users > 0 else { return [] }
        func row(_ name: String, _ count: SeenCount) -> [String] {
            let share = numbers.share(of: count.seen, in: count.users, users: count.users)
            return [name, shown(count.users), shown(count.seen), share?.text ?? "too few for a share"]
        }
        let caption = "Users whom the app saw in the last \(Report.seenDays) days"
        let rows = [row("With check-ins", with), row("Held out", without)]
        let table = Table(caption, ["Users", "All", "Seen", "Share (95 %)"], rows)
        let text =
            "Users whose check-ins were due in this time. Those who are held out got none (policy.holdoutPercent). "
            + "If the intervals overlap, the difference may be chance."
        return [.element("h3", text: "With and without check-ins"), .p(text), table.node]
    }
}
