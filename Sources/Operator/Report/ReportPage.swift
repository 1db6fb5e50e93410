import Catalog
import Core
import OpenSSL
import Policy
import Service
import TimeZones

import struct FoundationEssentials.Data

/// The page is one file without scripts and fonts, and loads nothing from a network. Each chart has a title and a
/// summary for screen readers, and a table with its numbers.
struct ReportPage {
    let report: Report
    let numbers: ReportNumbers
    let version: String

    typealias Section = (id: String, title: String, parts: [Node])

    var markup: String { Node("html", ["lang": "en"], [head, Node("body", [header, main, footer])]).document }

    private var head: Node {
        func meta(_ name: StaticString, _ value: String, _ content: String) -> Node {
            Node("meta", [name: value, "content": content])
        }
        let parts: [Node] = [
            Node("meta", ["charset": "utf-8"]),
            meta("http-equiv", "Content-Security-Policy", ReportStyle.contentSecurityPolicy),
            meta("name", "viewport", "width=device-width, initial-scale=1"),
            meta("name", "color-scheme", "light dark"), meta("name", "referrer", "no-referrer"),
            meta("name", "robots", "noindex"), Node("title", text: title), .style(ReportStyle.sheet),
        ]
        return Node("head", parts)
    }

    private var title: String {
        "nudged: the last \(report.window.days == 1 ? "24 hours" : "\(report.window.days) days")"
    }

    private var header: Node {
        let window = report.window
        let time = "\(TimeText.minute(window.from)) to \(TimeText.minute(window.now)) UTC"
        let span = "\(time), counted by nudged \(version). Times are UTC unless they are said to be local."
        let exact = "Numbers are exact. For a page to pass on, use nudged report --rounded."
        let rounded = "Numbers are rounded: 1 to 4 are shown as 1–4, all others as the nearest multiple of five."
        let precision = numbers == .exact ? exact : rounded
        let texts: [Node] = [Node("h1", text: title), .p(span, class: "soft"), .p(precision, class: "soft")]
        return Node("header", texts + remarks.map { Node.p($0, class: "remark") } + [tiles])
    }

    private var remarks: [String] {
        let window = report.window
        let kept = "The record keeps \(report.retentionDays) days (nudged.setting.retention_days)"
        let missing = "fewer than the \(window.days) of this page. Bars of the days before are missing, not zero."
        let first = report.firstRecorded ?? window.from
        let why = "either nothing was due, or it was not kept so long."
        let cut = "There were too many different reasons to count them all: the rarest are missing."
        let pauses = report.pauses.map { pause -> String in
            let kind = KindText.plural(pause.kind.rawValue)
            return "Paused since \(TimeText.minute(pause.since)): \(kind) (nudged resume ends the pause)."
        }
        return "The record has nothing for this time.".when(report.count() == 0)
            + "\(kept), \(missing)".when(window.days > report.retentionDays)
            + "The record has nothing from before \(TimeText.minute(first)): \(why)".when(first > window.from)
            + cut.when(report.isCut) + pauses
    }

    private var tiles: Node {
        let outcomes: [DeliveryRecord.Outcome] = [.accepted, .rejected, .deferred, .unknown]
        let attempts = outcomes.map(report.count)
        let shares = numbers.shares(of: attempts)
        let noShare = attempts.contains { $0 > 0 } ? "too few for a share" : "of no attempts"
        func tile(_ name: String, _ count: Int, _ text: String) -> Node {
            Node("div", [Node("dt", text: name), Node("dd", [.text(shown(count)), Node("small", text: text)])])
        }
        func attempt(_ name: String, _ place: Int) -> Node {
            tile(name, attempts[place], shares.map { "\($0[place]) of attempts" } ?? noShare)
        }
        let tiles = [
            attempt("Accepted by Apple", 0), tile("People reached", report.people.all, "at least one accepted push"),
            attempt("Rejected for good", 1), attempt("Deferred, tried again", 2), attempt("Unknown", 3),
            tile("Never sent", report.count(.dropped) + report.count(.skipped), "dropped or skipped"),
            tile("Tokens gone", report.count(\.isGone), "answered 410"),
        ]
        return Node("dl", ["class": "tiles"], tiles)
    }

    private var main: Node {
        let sections = [sent, people, works, troubles, outcomes, unsent, localHours, lateness, sweeps, daemons, method]
        let links = sections.map { Node("li", [Node("a", ["href": "#\($0.id)"], text: $0.title)]) }
        let nodes = sections.map { section in
            let heading = Node("h2", ["id": "\(section.id)-heading"], text: section.title)
            let attributes: Attributes = ["id": section.id, "aria-labelledby": "\(section.id)-heading"]
            return Node("section", attributes, [heading] + section.parts)
        }
        return .group([Node("nav", ["aria-label": "Charts"], [Node("ul", links)]), Node("main", nodes)])
    }

    private var footer: Node {
        let text = "Made by nudged report --days \(report.window.days)\(numbers == .rounded ? " --rounded" : "")."
        return Node("footer", ["class": "soft"], [.p(text)])
    }

    private var method: Section {
        let whole = "Shares are whole percentages that add up to 100."
        let exact = "Counts are exact. \(whole) A share below one per cent is written as under 1 %."
        let sums = "Each count is rounded by itself, so the rows of a table may not add up to its last line."
        let shares = "Bars and shares show the rounded counts. \(whole)"
        let few = "They are left out where counts of 1 to 4 could change them."
        let rounded = "Counts are rounded so that no single push is visible. \(sums) \(shares) \(few)"
        let texts = [
            "Each row of the record is one attempt for one device, or one slot, message or reminder that ended "
                + "unsent. A digest has a row for each of its messages. A deferred push has another row for "
                + "its next attempt.", numbers == .exact ? exact : rounded,
            "This page names no user, device, token, text, zone or host, and a template only by its id. No count "
                + "combines a person's local hour with a date. A reason that is not a plain word is counted as other.",
        ]
        return ("method", "How this is counted", texts.map { .p($0) })
    }

    func shown(_ count: Int) -> String { numbers.count(count).text }

    /// A count with its unit, such as `1 push` or `1–4 pushes`.
    func counted(_ count: Int, _ one: String, _ many: String) -> String {
        let text = shown(count)
        return "\(text) \(text == "1" ? one : many)"
    }

    static func kinds(hasOthers: Bool) -> [String] { hasOthers ? Report.kinds : Report.kinds.dropLast() }

    /// A bar for each count, with its share.
    func lines(_ names: [String], _ counts: [Int], of all: [Int]? = nil) -> [ChartLabel.Line] {
        let shares = numbers.shares(of: all ?? counts)
        return counts.indices.map { place -> ChartLabel.Line in
            let number = numbers.count(counts[place])
            let share = counts[place] > 0 ? shares.map { " (\($0[place]))" } : nil
            return (names[place], number.text + (share ?? ""), 0...number.value)
        }
    }
}

enum ReportStyle {
    static let sheet = String(cString: nudged_report_style())

    /// Nothing may be loaded, run or sent. Of style sheets, only this one is allowed, by its hash (CSP Level 3, 2.3.1).
    static var contentSecurityPolicy: String {
        let digest = SHA256.digest(of: Array(sheet.utf8)).map(\.bytes)
        let style = digest.map { "'sha256-\(Data($0).base64EncodedString())'" } ?? "'none'"
        return "default-src 'none'; style-src \(style); base-uri 'none'; form-action 'none'"
    }
}

package enum ReportNumbers: Sendable {
    case exact
    /// A count is 0, `1–4`, or the nearest multiple of five, as statistical offices round. Sums are rounded
    /// separately, so a single push never shows. Bars are drawn from the rounded values.
    case rounded

    /// A count's text, and its value for lengths of bars, which is 2.5 for `1–4`.
    func count(_ count: Int) -> (text: String, value: Double) {
        let number = shown(count)
        return isSmall(count) ? ("1–4", 2.5) : (Elapsed.grouped(number), Double(number))
    }

    /// Whole per cent that add up to 100 (largest remainder), such as `75 %`. All parts `under 1 %` are one part in
    /// that sum. Shares are of the counts as shown. Nil: all counts of 1 to 4 together could be one per cent or more,
    /// so shares could contradict the counts.
    func shares(of parts: [Int]) -> [String]? {
        let counts: [Double] = parts.map { isSmall($0) ? 0 : Double(shown($0)) }
        let sum = counts.reduce(0, +)
        let small = parts.filter { isSmall($0) }.count
        guard sum > 0, small == 0 || Double(small * 4) * 100 < sum else { return nil }
        let isTiny = zip(parts, counts).map { part, count in part > 0 && count * 100 < sum }
        let isOnlyOne = parts.filter { $0 > 0 }.count == 1
        let large: [Double] = zip(counts, isTiny).map { count, isTiny in isTiny ? 0 : count }
        // The last one stands for all tiny parts.
        return zip(isTiny, Self.percents(large + [sum - large.reduce(0, +)], of: sum)).map { isTiny, percent in
            if isTiny { return "under 1 %" }
            return percent == 100 && !isOnlyOne ? "over 99 %" : "\(percent) %"
        }
    }

    /// `34 % (29 to 39 %)`: the share and its 95 % interval (Wilson's, as nudged.share_bounds), of the counts as shown.
    /// The interval is of `users`, who tried: ten tries of one user say little about the others.
    func share(of hits: Int, in tries: Int, users: Int) -> (text: String, range: ClosedRange<Double>)? {
        guard tries > 0, !isSmall(hits), !isSmall(tries), !isSmall(users) else { return nil }
        let n = Double(shown(users))
        let share = Double(shown(hits)) / Double(shown(tries))
        let (z, width) = (1.96, 1 + 1.96 * 1.96 / n)
        let middle = (share + z * z / (2 * n)) / width
        let reach = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / width
        let range = max(middle - reach, 0) * 100...min(middle + reach, 1) * 100
        let numbers = [share * 100, range.lowerBound, range.upperBound].map { Int($0.rounded()) }
        return ("\(numbers[0]) % (\(numbers[1]) to \(numbers[2]) %)", range)
    }

    /// Whole percentages that add up to 100: each is rounded down, and the largest remainders get one more.
    private static func percents(_ counts: [Double], of sum: Double) -> [Int] {
        let exact = counts.map { $0 * 100 / sum }
        var percents = exact.map { Int($0) }
        let remainders = exact.map { $0 - $0.rounded(.down) }
        // The first of equal remainders comes first.
        let places = percents.indices.sorted { (remainders[$1], $0) < (remainders[$0], $1) }
        for place in places.prefix(max(0, 100 - percents.reduce(0, +))) { percents[place] += 1 }
        return percents
    }

    private func isSmall(_ count: Int) -> Bool { self == .rounded && (1...4).contains(count) }

    private func shown(_ count: Int) -> Int {
        let count = max(count, 0)
        return self == .exact || count > Int.max - 2 ? count : (count + 2) / 5 * 5
    }
}
