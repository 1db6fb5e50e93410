import Core
import Service
import TimeZones

extension ReportPage {
    private static let outcomeTexts: [(DeliveryRecord.Outcome, String)] = [
        (.accepted, "Accepted: Apple took it"), (.rejected, "Rejected for good"),
        (.deferred, "Deferred: tried again later"),
        (.unknown, "Unknown: sent, and no answer came"), (.dropped, "Dropped: ended unsent"),
        (.skipped, "Skipped: its slot passed"),
    ]

    var outcomes: Section {
        let (id, title, all) = ("outcomes", "Outcomes, and Apple's reasons", report.count())
        guard all > 0 else { return (id, title, [.p("The record has nothing for this time.")]) }
        let names = Self.outcomeTexts.map(\.1)
        let counts = Self.outcomeTexts.map { report.count($0.0) }
        let lines = lines(names, counts)
        let parts = lines.map { "\($0.name): \($0.number)" }.joined(separator: "; ")
        let summary = "\(counted(all, "row", "rows")). \(parts)."
        let shares = numbers.shares(of: counts)
        let rows = counts.indices.map { [names[$0], shown(counts[$0]), shares?[$0] ?? ""] }
        let columns = ["Outcome", "Rows", "Share"]
        let table = Table("Rows of the record by outcome", columns, rows, sums: ["All", shown(all), ""])
        let byReason = "Rejected, deferred and unknown, by reason"
        let none = "No push was rejected, deferred or unknown."
        let refused = reasons([.rejected, .deferred, .unknown], id: "refused", title: byReason, none: none)
        let label = ChartLabel(id: "outcomes-chart", title: "Outcomes: rows of the record", summary: summary)
        return (id, title, [label.list(lines), table.folded] + refused)
    }

    var unsent: Section {
        let dropped = "Messages and reminders that ended before they could be sent (dropped)"
        let explanation = "\(dropped), and check-ins whose slot passed (skipped)."
        let others = "Users who get nothing by the rules (no device, not opted in, paused) are not in the record."
        let held = "\(others) nudged forecast counts them by reason."
        let none = "Nothing was dropped or skipped in this time."
        let reasons = reasons([.dropped, .skipped], id: "unsent", title: "Dropped and skipped, by reason", none: none)
        return ("unsent", "Not sent at all, by reason", [.p(explanation)] + reasons + [.p(held)])
    }

    private func reasons(_ outcomes: [DeliveryRecord.Outcome], id: String, title: String, none: String) -> [Node] {
        let reasons = report.reasons(of: outcomes)
        guard !reasons.isEmpty else { return [.p(none)] }
        let counts = reasons.map(\.count)
        let all = counts.reduce(0, +)
        // The table has the complete reason, and more of them.
        let names = reasons.prefix(12).map { outcome, reason, _ in
            let reason = reason.isEmpty ? "no reason given" : reason
            return "\(outcome): \(reason.count > 34 ? "\(reason.prefix(33))…" : reason)"
        }
        let number = "\(counted(all, "row", "rows")), \(Elapsed.counted(reasons.count, "reason", "reasons"))"
        let rows = reasons.prefix(200).map { outcome, reason, count in
            [outcome, reason.isEmpty ? "none given" : reason, shown(count)]
        }
        let table = Table(title, ["Outcome", "Reason", "Rows"], texts: 2, rows, sums: ["All", "", shown(all)])
        let more = "The chart has the \(names.count) most frequent of \(reasons.count) reasons."
        let label = ChartLabel(id: "\(id)-chart", title: title, summary: "\(number). The most frequent is \(names[0]).")
        let chart = label.list(lines(names, Array(counts.prefix(names.count)), of: counts))
        return [Node("h3", text: title), chart] + (reasons.count > names.count ? [.p(more)] : []) + [table.folded]
    }

    var people: Section {
        let (id, title, people) = ("people", "People reached", report.people)
        guard people.all > 0 else { return (id, title, [.p("Apple accepted nothing in this time.")]) }
        let kinds = Self.kinds(hasOthers: people.byKind["other"] != nil)
        let rows = kinds.map { [KindText.title($0), shown(people.byKind[$0] ?? 0)] }
        let table = Table("People reached, by kind", ["Kind", "People"], rows, sums: ["Any kind", shown(people.all)])
        let several = "A person who got several kinds is in each of their lines, and once in the last line."
        return (id, title, [.p("People with at least one push that Apple accepted. \(several)"), table.node])
    }

    private static let sizeTexts = [
        "fewer than 5 rows", "5 to 49 rows", "50 to 499 rows", "500 to 4,999 rows", "5,000 rows and more",
    ]

    var sweeps: Section {
        let (id, title) = ("sweeps", "Sweeps by how much they recorded")
        let sizes = SweepCount.Size.allCases.map { size in report.sweeps.first { $0.began == nil && $0.size == size } }
        let counts = sizes.map { $0?.sweeps ?? 0 }
        let all = counts.reduce(0, +)
        guard all > 0 else { return (id, title, [.p("No sweep recorded anything in this time.")]) }
        let summary = zip(Self.sizeTexts, counts).map { "\($0): \(counted($1, "sweep", "sweeps"))" }
            .joined(separator: "; ")
        let rows = zip(Self.sizeTexts, sizes).map { text, size in
            let longest = size.map { Elapsed.text($0.seconds) } ?? ""
            return [text, shown(size?.sweeps ?? 0), shown(size?.records ?? 0), longest]
        }
        let sums = ["All", shown(all), shown(sizes.reduce(0) { $0 + ($1?.records ?? 0) }), ""]
        let table = Table(title, ["Size", "Sweeps", "Rows", "Longest"], rows, sums: sums)
        let length = "A sweep's length is from its first attempt to its last, in whole seconds of the policy's clock."
        let explanation = "A sweep that found nothing to do has no row and is not counted. \(length)"
        let label = ChartLabel(id: "sweeps-chart", title: "\(title): sweeps", summary: "\(summary).")
        return (id, title, [.p(explanation), label.list(lines(Self.sizeTexts, counts)), table.folded] + largest)
    }

    private var largest: [Node] {
        let sweeps = report.sweeps.filter { $0.began != nil }
        guard !sweeps.isEmpty else { return [] }
        let columns = ["Began (UTC)", "Rows", "Accepted", "Rejected, deferred", "Unknown", "Not sent", "Length"]
        let rows = sweeps.map { sweep in
            let counts = [sweep.records, sweep.accepted, sweep.refused, sweep.unknown, sweep.unsent]
            return [sweep.began.map(TimeText.minute) ?? ""] + counts.map(shown) + [Elapsed.text(sweep.seconds)]
        }
        let table = Table("The largest sweeps of at least \(Report.leastSweep) rows", columns, rows)
        let journal = "The journal has a line for each sweep that did something"
        return [table.folded, .p("\(journal): journalctl -u nudged NUDGED_EVENT=sweep.")]
    }

    /// The page may be passed on: it names no host and no error's text.
    var daemons: Section {
        let (id, title) = ("daemons", "Daemons when this was counted")
        guard !report.daemons.isEmpty else {
            let none = "None was seen within a day: nothing is sent until one is started (systemctl start nudged)."
            return (id, title, [.p(none)])
        }
        let rows = report.daemons.enumerated().map { place, daemon in
            let unseen = "not seen for \(Elapsed.text(daemon.unseenMilliseconds / 1000))"
            let started = Elapsed.text(report.window.now - daemon.startedAt)
            // None if the state can't be read.
            let lanes = daemon.lanes.map { lane in
                "\(lane.name)\(lane.otherServer == nil ? "" : ", not Apple's server"): \(lane.stateText)"
            }.joined(separator: "; ")
            return ["\(place + 1)", daemon.isAlive ? "alive" : unseen, started, daemon.version, lanes]
        }
        let columns = ["Daemon", "State", "Started (ago)", "Version", "Lanes"]
        let table = Table("Daemons that were seen within a day", columns, texts: 5, rows)
        let alive = report.daemons.count(where: \.isAlive)
        let none = "None is alive: nothing is sent until one is started."
        let text = alive == 0 ? none : alive == 1 ? "One is alive." : "\(alive) are alive."
        return (id, title, [.p("\(text) nudged status shows their hosts and more."), table.node])
    }

    /// Fewer users than this say nothing of how one differs from another.
    private static let fewest = 30

    var works: Section {
        let (id, title) = ("works", "What works")
        let kinds = Self.kinds(hasOthers: false).filter { kind in
            report.opens.contains { $0.kind == kind && $0.opened + $0.rated > 0 }
        }
        let none = "No app has said that a nudge was opened (nudged_me.opened) or helpful (nudged_me.feedback)."
        let bar = "A bar is the share's 95 % interval: so far chance alone may move it."
        let rest = "A nudge to several devices counts once. Hours and days are the user's own."
        let opened = "Nudges that were sent in this time, and how many of them users opened."
        let explanation = "\(opened) \(bar) Bars that overlap show no difference. \(rest)"
        let parts = kinds.isEmpty ? [Node.p(none)] : [.p(explanation)] + kinds.flatMap(works)
        return (id, title, parts + withAndWithout)
    }

    private func works(_ kind: String) -> [Node] {
        let counts = report.opens.filter { $0.kind == kind }
        guard let all = counts.first(where: { $0.part == nil }) else { return [] }
        let title = KindText.title(kind)
        let share = numbers.share(of: all.opened, in: all.sent, users: all.users).map { ": \($0.text)" } ?? ""
        let rated = numbers.share(of: all.helpful, in: all.rated, users: all.raters).map { ": \($0.text)" } ?? ""
        let opened = "Of \(shown(all.sent)) sent, \(shown(all.opened)) were opened\(share)."
        let text = "\(opened) Of \(shown(all.rated)) with feedback, \(shown(all.helpful)) were helpful\(rated)."
        let charts = OpenCount.Part.allCases.flatMap { part in
            let parts = counts.filter { $0.part == part }
            return parts.isEmpty ? [] : chart(parts, all, id: "works-\(kind)-\(part)", title: "\(title) by \(part)")
        }
        return [Node("h3", text: title), .p(text)] + charts
    }

    private func chart(_ counts: [OpenCount], _ all: OpenCount, id: String, title: String) -> [Node] {
        let verdict = verdict(counts)
        let lines = counts.map { count -> ChartLabel.Line in
            let share = numbers.share(of: count.opened, in: count.sent, users: count.users)
            let name = "\(Self.name(count)): \(shown(count.opened)) of \(shown(count.sent))"
            return (name, share?.text ?? "too few for a share", share?.range ?? 0...0)
        }
        let label = ChartLabel(id: "\(id)-chart", title: "\(title): opened", summary: verdict)
        func row(_ name: String, _ count: OpenCount) -> [String] {
            let opened = numbers.share(of: count.opened, in: count.sent, users: count.users)?.text ?? ""
            let helpful = numbers.share(of: count.helpful, in: count.rated, users: count.raters)?.text ?? ""
            let counts = [count.sent, count.opened, count.rated, count.helpful].map(shown)
            return [name, counts[0], counts[1], opened, counts[2], counts[3], helpful]
        }
        let columns = ["What", "Sent", "Opened", "Share (95 %)", "With feedback", "Helpful", "Share (95 %)"]
        let rows = counts.map { row(Self.name($0), $0) }
        let table = Table("\(title): opened and helpful", columns, rows, sums: row("All", all))
        return [Node("h4", text: title), .p(verdict), label.list(lines), table.folded]
    }

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
        return [Node("h3", text: "With and without check-ins"), .p(text), table.node]
    }
}
