import HTML
import Policy
import Core
import TimeZones

/// Makes the page from a report's counts.
///
/// The page is one file without scripts and fonts, and loads nothing from a network. Each chart has a title and a
/// summary for screen readers, and a table with its numbers.
struct ReportPage {
    let report: Report
    let numbers: ReportNumbers
    private let version: String

    init(_ report: Report, numbers: ReportNumbers, version: String) {
        self.report = report
        self.numbers = numbers
        self.version = version
    }

    /// The HTML document.
    var markup: String {
        Node.element("html", ["lang": "en"], [head, .element("body", [:], [header, main, footer])]).document
    }

    private var head: Node {
        func meta(_ name: StaticString, _ value: String, _ content: String) -> Node {
            .element("meta", [name: value, "content": content], [])
        }
        return .element(
            "head",
            [:],
            [
                .element("meta", ["charset": "utf-8"], []),
                meta("http-equiv", "Content-Security-Policy", ReportStyle.contentSecurityPolicy),
                meta("name", "viewport", "width=device-width, initial-scale=1"),
                meta("name", "color-scheme", "light dark"), meta("name", "referrer", "no-referrer"),
                meta("name", "robots", "noindex"), .element("title", text: title), .style(ReportStyle.sheet),
            ]
        )
    }

    // MARK: Above

    private var title: String {
        "nudged: the last \(report.window.days == 1 ? "24 hours" : "\(report.window.days) days")"
    }

    private var header: Node {
        let window = report.window
        let span =
            "\(TimeText.minute(window.from)) to \(TimeText.minute(window.now)) UTC, counted by nudged \(version). "
            + "Times are UTC unless they are said to be local."
        return .element(
            "header",
            [:],
            [
                .element("h1", text: title), .element("p", ["class": "soft"], text: span),
                .element("p", ["class": "soft"], text: precision),
                .group(remarks.map { .element("p", ["class": "remark"], text: $0) }), tiles,
            ]
        )
    }

    private var precision: String {
        switch numbers {
        case .exact: "Numbers are exact. For a page to pass on, use nudged report --rounded."
        case .rounded: "Numbers are rounded: 1 to 4 are shown as 1–4, all others as the nearest multiple of five."
        }
    }

    /// Remarks that the reader needs before the charts.
    private var remarks: [String] {
        var remarks: [String] = []
        let window = report.window
        if report.all == 0 { remarks.append("The record has nothing for this time.") }
        if window.days > report.retentionDays {
            remarks.append(
                "The record keeps \(report.retentionDays) days (nudged.setting.retention_days), fewer than the "
                    + "\(window.days) of this page. Bars of the days before are missing, not zero."
            )
        }
        if let first = report.firstRecorded, first > window.from {
            remarks.append(
                "The record has nothing from before \(TimeText.minute(first)): "
                    + "either nothing was due, or it was not kept so long."
            )
        }
        if report.isCut {
            remarks.append("There were too many different reasons to count them all: the rarest are missing.")
        }
        for pause in report.pauses {
            remarks.append(
                "Paused since \(TimeText.minute(pause.since)): \(KindText.plural(pause.kind.rawValue)) "
                    + "(nudged resume ends the pause)."
            )
        }
        return remarks
    }

    private var tiles: Node {
        let outcomes: [DeliveryRecord.Outcome] = [.accepted, .rejected, .deferred, .unknown]
        let attempts = outcomes.map { report.count($0) }
        let shares = numbers.shares(of: attempts)
        let noShare = attempts.contains { $0 > 0 } ? "too few for a share" : "of no attempts"
        func tile(_ name: String, _ count: Int, _ text: String) -> Node {
            .element(
                "div",
                [:],
                [
                    .element("dt", text: name),
                    .element("dd", [:], [.text(shown(count)), .element("small", text: text)]),
                ]
            )
        }
        func attempt(_ name: String, _ place: Int) -> Node {
            tile(name, attempts[place], shares.map { "\($0[place]) of attempts" } ?? noShare)
        }
        return .element(
            "dl",
            ["class": "tiles"],
            [
                attempt("Accepted by Apple", 0),
                tile("People reached", report.people.all, "at least one accepted push"),
                attempt("Rejected for good", 1),
                attempt("Deferred, tried again", 2),
                attempt("Unknown", 3),
                tile("Never sent", report.count(.dropped) + report.count(.skipped), "dropped or skipped"),
                tile("Tokens gone", report.gone, "answered 410"),
            ]
        )
    }

    // MARK: Middle and below

    private var main: Node {
        let sections = [
            sent, people, troubles, outcomes, unsent, localHours, lateness, sweeps, daemons, method,
        ]
        let links = sections.map { section in
            Node.element("li", [:], [.element("a", ["href": "#\(section.id)"], text: section.title)])
        }
        return .group([
            .element("nav", ["aria-label": "Charts"], [.element("ul", [:], links)]),
            .element("main", [:], sections.map(\.node)),
        ])
    }

    private var footer: Node {
        let text =
            "Made by nudged report --days \(report.window.days)\(numbers == .rounded ? " --rounded" : ""). "
            + "docs/REPORT.md says how each number is counted."
        return .element("footer", ["class": "soft"], [.element("p", text: text)])
    }

    private var counting: String {
        switch numbers {
        case .exact:
            "Counts are exact. Shares are whole percentages that add up to 100. A share below one per cent is written "
                + "as under 1 %."
        case .rounded:
            "Counts are rounded so that no single push is visible. Each count is rounded by itself, so the rows of a "
                + "table may not add up to its last line. Bars and shares show the rounded counts. Shares are whole "
                + "percentages that add up to 100. They are left out where counts of 1 to 4 could change them."
        }
    }

    /// Explains what is counted and how, and what the page leaves out.
    private var method: ReportSection {
        ReportSection(
            "method",
            "How this is counted",
            [
                "Each row of the record is one attempt for one device, or one slot, message or reminder that ended "
                    + "unsent. A digest has a row for each of its messages. A deferred push has another row for "
                    + "its next attempt.", counting,
                "This page names no user, device, token, text, zone, template or host. No count combines a "
                    + "person's local hour with a date. A reason that is not a plain word is counted as other.",
            ].map(ReportSection.text)
        )
    }

    // MARK: Numbers

    /// A count as text.
    func shown(_ count: Int) -> String { numbers.count(count).text }

    /// A count with its unit, such as `1 push` or `1–4 pushes`.
    func counted(_ count: Int, _ one: String, _ many: String) -> String {
        let text = shown(count)
        return "\(text) \(text == "1" ? one : many)"
    }

    /// A chart of bars, each with its count and its share of all parts.
    ///
    /// - Parameter more: follows the title for a screen reader.
    func bars(_ id: String, _ title: String, _ names: [String], _ counts: [Int], summary: String) -> Node {
        let shares = numbers.shares(of: counts)
        return bars(id, title, names, counts, shares: shares, summary: summary)
    }

    func bars(
        _ id: String,
        _ title: String,
        _ names: [String],
        _ counts: [Int],
        shares: [String]?,
        summary: String
    ) -> Node {
        let lines = counts.indices.map { place in
            let number = numbers.count(counts[place])
            guard counts[place] > 0, let share = shares?[place] else {
                return BarList.Line(names[place], number.text, number.value)
            }
            return BarList.Line(names[place], "\(number.text) (\(share))", number.value)
        }
        return BarList(ChartLabel(id: "\(id)-chart", title: title, summary: summary), lines: lines).node
    }
}

/// A part of the page: a heading and its content.
struct ReportSection {
    /// The HTML id of the section, unique on the page.
    let id: String
    let title: String
    private let parts: [Node]

    init(_ id: String, _ title: String, _ parts: [Node]) {
        self.id = id
        self.title = title
        self.parts = parts
    }

    static func text(_ text: String) -> Node { .element("p", text: text) }

    var node: Node {
        .element(
            "section",
            ["id": id, "aria-labelledby": "\(id)-heading"],
            [.element("h2", ["id": "\(id)-heading"], text: title)] + parts
        )
    }
}
