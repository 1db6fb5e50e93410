import HTML
import Policy
import Store
import TimeZones

/// Makes the page from a report's counts.
///
/// The page is one file without scripts and fonts, and loads nothing from a network. Each chart has a title and a
/// summary for screen readers, and a table with its numbers.
struct ReportPage {
    let report: Report
    private let version: String

    init(_ report: Report, version: String) {
        self.report = report
        self.version = version
    }

    /// The HTML document.
    var markup: String {
        Node.element("html", [Attribute("lang", "en")], [head, .element("body", [], [header, main, footer])]).document
    }

    private var head: Node {
        func meta(_ name: StaticString, _ value: String, _ content: String) -> Node {
            .element("meta", [Attribute(name, value), Attribute("content", content)], [])
        }
        return .element(
            "head",
            [],
            [
                .element("meta", [Attribute("charset", "utf-8")], []),
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
            "\(TimeWords.minute(window.from)) to \(TimeWords.minute(window.now)) UTC, counted by nudged \(version). "
            + "Times are UTC unless they are said to be local."
        return .element(
            "header",
            [],
            [
                .element("h1", text: title), .element("p", [Attribute("class", "soft")], text: span),
                .group(remarks.map { .element("p", [Attribute("class", "remark")], text: $0) }), tiles,
            ]
        )
    }

    /// Remarks that the reader needs before the charts.
    private var remarks: [String] {
        var remarks: [String] = []
        let window = report.window
        if report.all == 0 { remarks.append("The record has nothing for this time.") }
        if window.days > report.keepDays {
            remarks.append(
                "The record keeps \(report.keepDays) days (record.keepDays), fewer than the \(window.days) "
                    + "of this page. Bars of the days before are missing, not zero."
            )
        }
        if let first = report.firstRecorded, first > window.from {
            remarks.append(
                "The record has nothing from before \(TimeWords.minute(first)): "
                    + "either nothing was due, or it was not kept so long."
            )
        }
        if report.isCut {
            remarks.append("There were too many different reasons to count them all: the rarest are missing.")
        }
        for pause in report.pauses {
            remarks.append(
                "Paused since \(TimeWords.minute(pause.since)): \(KindWords.plural(pause.kind.rawValue)) "
                    + "(nudged resume ends the pause)."
            )
        }
        return remarks
    }

    private var tiles: Node {
        let written = RoundedCount(
            [.accepted, .rejected, .deferred, .unknown].reduce(0) { $0 + report.count($1) }
        )
        func tile(_ name: String, _ count: Int, _ words: String) -> Node {
            .element(
                "div",
                [],
                [
                    .element("dt", text: name),
                    .element("dd", [], [.text(RoundedCount(count).words), .element("small", text: words)]),
                ]
            )
        }
        func share(_ outcome: DeliveryRecord.Outcome) -> String {
            let share = RoundedCount(report.count(outcome)).share(of: written)
            return share.isEmpty ? "of \(written.value > 0 ? "a few" : "no") attempts" : "\(share) of attempts"
        }
        return .element(
            "dl",
            [Attribute("class", "tiles")],
            [
                tile("Accepted by Apple", report.count(.accepted), share(.accepted)),
                tile("Rejected for good", report.count(.rejected), share(.rejected)),
                tile("Deferred, tried again", report.count(.deferred), share(.deferred)),
                tile("Unknown", report.count(.unknown), share(.unknown)),
                tile("Never sent", report.count(.dropped) + report.count(.skipped), "dropped or skipped"),
                tile("Tokens gone", report.gone, "answered 410"),
            ]
        )
    }

    // MARK: Middle and below

    private var main: Node {
        let sections = [
            sent, troubles, outcomes, unsent, localHours, lateness, sweeps, daemons, method,
        ]
        let links = sections.map { section in
            Node.element("li", [], [.element("a", [Attribute("href", "#\(section.id)")], text: section.title)])
        }
        return .group([
            .element("nav", [Attribute("aria-label", "Charts")], [.element("ul", [], links)]),
            .element("main", [], sections.map(\.node)),
        ])
    }

    private var footer: Node {
        let text =
            "Made by nudged report --days \(report.window.days). docs/REPORT.md says how each number is counted."
        return .element("footer", [Attribute("class", "soft")], [.element("p", text: text)])
    }

    /// Explains what is counted and how, and what the page leaves out.
    private var method: ReportSection {
        ReportSection(
            id: "method",
            title: "How this is counted",
            parts: [
                .words(
                    "Each row of the record is one attempt for one device, or one slot, message or reminder that ended "
                        + "unsent. A digest has a row for each of its messages. A deferred push has another row for "
                        + "its next attempt."
                ),
                .words(
                    "Counts are rounded so that no single push is visible: 1 to 4 are written as 1–4, all others as "
                        + "the nearest multiple of five. Each count is rounded by itself, so the rows of a table may "
                        + "not add up to its last line. Bars show the rounded counts."
                ),
                .words(
                    "This page names no user, device, token, text, zone, template or host. No count combines a "
                        + "person's local hour with a date. A reason that is not a plain word is counted as other."
                ),
            ]
        )
    }
}
