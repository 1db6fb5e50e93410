import NudgedPreferences
import Policy
@testable import Core
import Testing
import TestSupport
import TimeZones

@testable import Operator

/// The page as text; `IntegrationTests.ReportTests` reads it with a parser.
@Suite struct ReportPageTests {
    private typealias F = ReportFixture

    /// What stands between two marks, each time.
    private func parts(_ text: String, _ start: String, _ end: String) -> [String] {
        text.split(separator: start, omittingEmptySubsequences: false).dropFirst().map { part in
            String(part[..<(part.firstRange(of: end)?.lowerBound ?? part.endIndex)])
        }
    }

    /// Cells of the rows of a table, by its caption.
    private func table(_ markup: String, _ caption: String) throws -> [[String]] {
        let start = try #require(markup.firstRange(of: "<caption>\(caption)"), "no table \(caption)")
        let end = try #require(markup[start.upperBound...].firstRange(of: "</table>"))
        return parts(String(markup[start.upperBound..<end.lowerBound]), "<tr>", "</tr>").map { row in
            row.split(separator: "<").compactMap { part in
                guard part.hasPrefix("t"), let close = part.firstIndex(of: ">") else { return nil }
                return String(part[part.index(after: close)...])
            }
        }
    }

    private func number(_ text: String) -> Int { Int(text.filter(\.isNumber)) ?? 0 }

    @Test(arguments: [1, 7, 30, 366]) func page_whateverItShows_isSelfContained(days: Int) {
        let sheet = "\(ReportStyle.sheet)"
        for report in [F.report(days: days), F.full(days: days)] {
            let page = F.markup(report)
            for foreign in [
                "http:", "https:", "<script", "<link", "<img", "@import", "@font-face", " style=", "javascript:",
            ] { #expect(!page.replacing(sheet, with: "").contains(foreign), "\(foreign)") }
            #expect(!sheet.contains("url(") && !sheet.contains("@import") && !sheet.contains("<"))
            let urls = parts(page, "url(", ")")
            #expect(urls.allSatisfy { $0.hasPrefix("#") })
            #expect(page.contains("content=\"default-src &#39;none&#39;; style-src &#39;sha256-"))
        }
    }

    @Test func page_hasEachIdOnceAndEachLinkItsTarget() {
        let page = F.markup(F.full())
        let ids = parts(page, " id=\"", "\"")
        #expect(Set(ids).count == ids.count && ids.count > 20)
        let targets =
            parts(page, "href=\"#", "\"") + parts(page, "url(#", ")")
            + (parts(page, "aria-labelledby=\"", "\"") + parts(page, "aria-describedby=\"", "\""))
        #expect(Set(targets).isSubset(of: ids) && targets.count > 15)
    }

    @Test func pictures_areNamedDescribedAndHaveATable() {
        let page = F.markup(F.full())
        let pictures = parts(page, "<svg", "</svg>")
        #expect(pictures.count == 11)
        for picture in pictures {
            #expect(picture.contains("role=\"img\"") && picture.contains("<title id=\""))
            #expect(picture.firstRange(of: "</desc><g aria-hidden=\"true\">") != nil)
        }
        // Behind each picture its numbers.
        let afterwards = page.split(separator: "</svg>").dropFirst()
        #expect(afterwards.allSatisfy { $0.prefix(200).contains("<details><summary>As a table: ") })
        let tables = parts(page, "<table>", "</table>")
        #expect(tables.allSatisfy { $0.hasPrefix("<caption>") && $0.contains("scope=\"col\"") })
    }

    @Test(arguments: Seeds.all, [ReportNumbers.exact, .rounded])
    func tables_addUpToTheirLastLine_butForRounding(seed: UInt64, numbers: ReportNumbers) throws {
        let report = F.full(seed: seed)
        let page = F.markup(report, numbers)
        for caption in [
            "Accepted pushes, by the beginning", "What did not arrive, by the beginning",
            "Accepted pushes by local hour", "Rows of the record by outcome", "How late check-ins were sent",
        ] {
            let rows = try table(page, caption)
            let (body, sums) = (rows.dropFirst().dropLast(), try #require(rows.last))
            #expect(sums[0] == "All" && body.count >= 6, "\(caption)")
            for column in sums.indices.dropFirst() where !sums[column].isEmpty {
                let sum = body.reduce(0) { $0 + number($1[column]) }
                let most = numbers == .exact ? 0 : 3 * (body.count + 1)
                #expect(abs(sum - number(sums[column])) <= most, "\(caption) \(column): \(sum), \(sums[column])")
            }
        }
        let sent = try #require(try table(page, "Accepted pushes, by the beginning").last)
        let kinds = Report.kinds.map { kind in report.count { $0.outcome == .accepted && $0.kind == kind } }
        #expect(sent.dropFirst() == kinds.map { numbers.count($0).text }[...])
    }

    @Test func page_saysWhetherNumbersAreExact() {
        let report = F.report(deliveries: [F.rows(1, "message", .accepted, in: 2)])
        let (exact, rounded) = (F.markup(report), F.markup(report, .rounded))
        #expect(exact.contains("Numbers are exact.") && exact.contains("nudged report --days 7.<"))
        #expect(exact.contains("<desc id=\"sent-chart-desc\">1 push in all. "))
        #expect(rounded.contains("Numbers are rounded: 1 to 4 are shown as 1–4"))
        #expect(rounded.contains("nudged report --days 7 --rounded.<") && !rounded.contains("Numbers are exact"))
    }

    @Test func shares_whenNineOfTwelveAreAccepted_fitTheCounts() throws {
        let report = F.report(deliveries: [
            F.rows(9, "message", .accepted, in: 2),
            F.rows(3, "message", .rejected, "PayloadEmpty", in: 2),
        ])
        let exact = F.markup(report)
        #expect(exact.contains("<dd>9<small>75 % of attempts</small>"))
        #expect(exact.contains("<dd>3<small>25 % of attempts</small>"))
        #expect(exact.contains(">9 (75 %)<") && exact.contains(">3 (25 %)<") && exact.contains(">3 (100 %)<"))
        let rows = try table(exact, "Rows of the record by outcome")
        #expect(rows.contains(["Accepted: Apple took it", "9", "75 %"]) && rows.last == ["All", "12", ""])
        let rounded = F.markup(report, .rounded)
        #expect(rounded.contains("<dd>10<small>too few for a share</small>"))
        #expect(rounded.contains("<dd>1–4<small>too few for a share</small>"))
        #expect(try table(rounded, "Rows of the record by outcome").contains(["Rejected for good", "1–4", ""]))
        #expect(!rounded.contains("100 %") && !rounded.contains("25 %"))
    }

    @Test func people_areCountedOnceAndByKind() throws {
        let page = F.markup(F.full())
        #expect(page.contains("<dt>People reached</dt><dd>12,345<small>at least one accepted push</small>"))
        #expect(
            try table(page, "People reached, by kind") == [
                ["Kind", "People"], ["Check-ins", "11,111"], ["Messages", "3"], ["Reminders", "0"],
                ["Others", "2,345"],
                ["Any kind", "12,345"],
            ]
        )
        #expect(try table(F.markup(F.full(), .rounded), "People reached, by kind")[2] == ["Messages", "1–4"])
    }

    /// The intervals are calculated by hand: Wilson's of 120 in 400 is 25.7 to 34.7 %, of 3 in 60 1.7 to 13.7 %.
    @Test func works_showsSharesWithTheirIntervals_andWhatTheyRestOn() throws {
        let page = F.markup(F.full())
        #expect(
            try table(page, "Check-ins by template") == [
                ["What", "Sent", "Opened", "Share (95 %)", "With feedback", "Helpful", "Share (95 %)"],
                ["Template 3", "400", "120", "30 % (26 to 35 %)", "40", "30", "75 % (60 to 86 %)"],
                ["Template 5", "60", "3", "5 % (2 to 14 %)", "0", "0", ""],
                ["All", "460", "123", "27 % (23 to 31 %)", "40", "30", "75 % (60 to 86 %)"],
            ]
        )
        for text in [
            "Of 460 sent, 123 were opened: 27 % (23 to 31 %). Of 40 with feedback, 30 were helpful: 75 % (60 to 86 %).",
            "<p>Template 3 is opened more often than Template 5: the difference is more than chance.</p>",
            // By hour, one of two has fewer than 30; by weekday, the intervals overlap.
            "<h4>Check-ins by hour</h4><p>Too few to compare: less than two have 30 users.</p>",
            "<h4>Check-ins by weekday</h4><p>All intervals overlap: the differences may be chance.</p>",
            ">Template 5: 3 of 60</text>", "x=\"44.513%\"",
        ] { #expect(page.contains(text), "\(text)") }
        // The best and the worst by their shares rest on few. Two others differ all the same.
        let four = [(10, 29), (400, 1000), (300, 1000), (8, 40)].enumerated().map {
            F.checkIns(.template, $0, sent: $1.1, opened: $1.0)
        }
        let all = F.checkIns(nil, 0, sent: 2069, opened: 718)
        #expect(F.markup(F.report(opens: [all] + four)).contains("Template 1 is opened more often than Template 2: "))
        // No message was opened or has feedback.
        #expect(!page.contains("Messages by hour"))
        #expect(F.markup(F.report()).contains("No app has said that a nudge was opened"))
        let rounded = try table(F.markup(F.full(), .rounded), "Check-ins by template")
        #expect(rounded[2] == ["Template 5", "60", "1–4", "", "0", "0", ""])
    }

    @Test func works_whenUsersAreHeldOut_comparesThem() throws {
        let caption = "Users whom the app saw in the last 7 days"
        #expect(
            try table(F.markup(F.full()), caption).dropFirst() == [
                ["With check-ins", "1,000", "400", "40 % (37 to 43 %)"],
                ["Held out", "100", "22", "22 % (15 to 31 %)"],
            ]
        )
        #expect(!F.markup(F.report()).contains(caption))
    }

    @Test func bars_areDrawnFromWhatTheTableSays() throws {
        let report = F.full()
        let page = F.markup(report)
        let chart = try #require(parts(page, "<svg", "</svg>").first)
        let bars = parts(chart, "<rect class=\"bar\"", "</rect>")
        let drawn = report.stretches.flatMap { rows in
            Report.kinds.map { kind in rows.sum { $0.outcome == .accepted && $0.kind == kind } }
        }.filter { $0 > 0 }
        #expect(bars.count == drawn.count)
        let text = bars.map { bar in
            String(bar[(bar.lastIndex(of: " ") ?? bar.startIndex)...].dropFirst().prefix { $0 != "<" })
        }
        #expect(text.sorted() == drawn.map { ReportNumbers.exact.count($0).text }.sorted())
    }

    @Test func page_whenTheRecordIsEmpty_saysSoAndDrawsNothing() {
        let page = F.markup(F.report())
        #expect(page.contains("The record has nothing for this time.") && !page.contains("<svg"))
        for text in [
            "Apple accepted nothing in this time.", "Nothing was rejected, deferred, unknown, dropped or skipped",
            "No sweep recorded anything", "None was seen within a day",
        ] { #expect(page.contains(text), "\(text)") }
    }

    @Test func page_whenFewWereNudgedAndItIsRounded_showsNoSmallCount() throws {
        let few = F.report(
            deliveries: [
                F.rows(3, "message", .accepted, in: 2),
                F.rows(1, "check_in", .rejected, "PayloadTooLarge", in: 3),
            ],
            hours: [HourCount(hour: 4, kind: "message", isQuiet: true, count: 3)],
            people: PeopleReached(all: 3, byKind: ["message": 3]),
            sweeps: [SweepCount(size: .fewerThan5, sweeps: 2, records: 4, seconds: 0)]
        )
        let page = F.markup(few, .rounded)
        for caption in [
            "Accepted pushes, by", "What did not arrive, by", "Accepted pushes by local", "Rows of the record",
            "Rejected, deferred", "People reached",
        ] {
            let counts = try table(page, caption).dropFirst().flatMap { $0.dropFirst() }
            let isSmall = !Set(counts).isDisjoint(with: ["1", "2", "3", "4"])
            #expect(!isSmall && counts.contains("1–4"), "\(caption): \(counts)")
        }
        // One of three and three of three look alike.
        let other = F.report(
            deliveries: [
                F.rows(1, "message", .accepted, in: 2),
                F.rows(4, "check_in", .rejected, "PayloadTooLarge", in: 3),
            ],
            hours: [HourCount(hour: 4, kind: "message", isQuiet: true, count: 1)],
            sweeps: [SweepCount(size: .fewerThan5, sweeps: 3, records: 5, seconds: 0)]
        )
        let charts = { parts($0, "<svg", "</svg>").prefix(2) }
        #expect(charts(page) == charts(F.markup(other, .rounded)))
    }

    @Test func page_saysNothingOfHostsPersonsOrErrors() {
        let state =
            #"{"lanes":[{"environment":"production","topic":"com.example.app","state":"stopped","reason":"planted-reason","remedy":"planted-remedy"}],"last_work":{"sent":3,"users":3}}"#
        let report = F.report(daemons: [F.daemon(unseen: 1000, state: state)], pauses: [F.pause])
        let page = F.markup(report)
        #expect(!page.contains("planted"))
        #expect(page.contains("production com.example.app: stopped") && page.contains("One is alive."))
        #expect(page.contains("Paused since 2026-11-21 18:30: reminders"))
    }

    @Test func page_whenAWordHoldsMarkup_escapesIt() {
        let state = #"{"lanes":[{"environment":"production","topic":"<script>alert(1)</script>","state":"<b>"}]}"#
        let page = F.markup(
            F.report(
                deliveries: [F.rows(50, "message", .rejected, "<i>&\"", in: 1)],
                daemons: [F.daemon(unseen: 1000, state: state)]
            )
        )
        #expect(!page.contains("<script") && !page.contains("<b>") && !page.contains("<i>"))
        #expect(page.contains("&lt;script&gt;") && page.contains("&lt;i&gt;&amp;&quot;"))
    }

    @Test func page_whenTheRecordIsShorter_saysSo() {
        let page = F.markup(F.report(days: 120, retentionDays: 30))
        let kept = "The record keeps 30 days (nudged.setting.retention_days), fewer than the 120 of this page"
        #expect(page.contains(kept))
        #expect(!F.markup(F.report(days: 30, retentionDays: 30)).contains("retention_days"))
        let late = F.report(deliveries: [F.rows(50, "message", .accepted, in: 83)])
        #expect(F.markup(late).contains("The record has nothing from before 2026-11-21 18:00"))
        #expect(F.markup(F.report(isCut: true)).contains("the rarest are missing"))
    }

    @Test(arguments: [
        (
            QuietHours(start: TimeOfDay(hour: 22), end: TimeOfDay(hour: 8)),
            ["x=\"0%\" y=\"34\" width=\"33.333%\"", "x=\"91.667%\" y=\"34\" width=\"8.333%\""]
        ),
        (QuietHours(start: TimeOfDay(hour: 1), end: TimeOfDay(hour: 7)), ["x=\"4.167%\" y=\"34\" width=\"25%\""]),
        (QuietHours(start: TimeOfDay(hour: 21), end: TimeOfDay(hour: 0)), ["x=\"87.5%\" y=\"34\" width=\"12.5%\""]),
        (QuietHours(start: TimeOfDay(hour: 5), end: TimeOfDay(hour: 5)), []), (nil, []),
    ]) func hours_whenThereAreQuietHours_shadeThem(quiet: QuietHours?, boxes: [String]) throws {
        let rules = Rules { $0.quietHours = quiet }
        let page = F.markup(F.report(rules: rules, hours: [HourCount(hour: 12, kind: "message", count: 50)]))
        let shades = parts(page, "<rect class=\"shade\" ", " height")
        #expect(shades == boxes)
        #expect(page.contains(boxes.isEmpty ? "The rules have no quiet hours" : "Shaded: the rules&#39; quiet hours, "))
    }
}
