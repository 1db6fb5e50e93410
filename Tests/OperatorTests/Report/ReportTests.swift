import Policy
import Seeded
@testable import Core
import Testing
import TestSupport
import TimeZones

@testable import Operator

@Suite struct ReportTests {
    private typealias F = ReportFixture

    @Test func deliveries_areCountedWhereTheyBelong() {
        let report = F.report(
            deliveries: [
                F.rows(10, "check_in", .accepted, in: 0),
                F.rows(7, "message", .accepted, in: 83),
                F.rows(6, "reminder", .rejected, "Unregistered", isGone: true, in: 5),
                F.rows(999, "reminder", .accepted, in: 84),
                F.rows(999, "reminder", .accepted, in: -1),
            ]
        )
        #expect(report.stretches[0].sum() == 10 && report.stretches[83].sum() == 7)
        #expect(report.count() == 23 && report.count(.accepted) == 17 && report.firstRecorded == report.window.from)
        let reasons = report.reasons(of: [.rejected, .deferred])
        #expect(reasons.map(\.outcome) == ["rejected"] && reasons.map(\.reason) == ["Unregistered"])
        #expect(F.markup(report).contains("<dt>Tokens gone</dt><dd>6<"))
    }

    @Test func hours_areCountedWhereTheyBelong() {
        let page = F.markup(
            F.report(
                hours: [
                    HourCount(hour: 9, kind: "check_in", lateness: .withinOneMinute, count: 10),
                    HourCount(hour: 23, kind: "message", hasOwnQuietHours: true, isQuiet: true, count: 5),
                    HourCount(hour: 8, kind: "message", hasOwnQuietHours: true, count: 6),
                    HourCount(hour: 2, kind: "reminder", isQuiet: true, count: 7),
                    HourCount(hour: nil, kind: "check_in", count: 8),
                    HourCount(hour: 10, kind: "check_in", lateness: .early, count: 9),
                    HourCount(hour: 10, kind: "check_in", lateness: .later, count: 11),
                ]
            )
        )
        for text in [
            "<desc id=\"lateness-chart-desc\">before its time (the time was changed later): 9; within a minute: 10; ",
            "; more than 4 hours: 11.</desc>", ">10:00</th><td class=\"n\">20</td><td class=\"n\">0</td>",
            "Of pushes to people who set none, 7 of 37 were sent within them.",
            "Of pushes to people with quiet hours of their own, 5 of 11 were sent within theirs.",
            "Not in the chart: 8 pushes to people without a valid zone",
            "Not in the chart: 8 check-ins whose time is not known",
        ] { #expect(page.contains(text), "\(text)") }
    }

    @Test func sweeps_areShownBySizeAndOneByOne() {
        let large = SweepCount(began: F.now, size: .fewerThan500, sweeps: 1, records: 300, seconds: 4, accepted: 299)
        let page = F.markup(
            F.report(sweeps: [SweepCount(size: .fewerThan5, sweeps: 9, records: 20, seconds: 1), large])
        )
        #expect(page.contains(">fewer than 5 rows</th><td class=\"n\">9</td><td class=\"n\">20</td>"))
        #expect(page.contains(">50 to 499 rows</th><td class=\"n\">0</td>"))
        #expect(page.contains(">2026-11-21 18:40</th><td class=\"n\">300</td><td class=\"n\">299</td>"))
    }
}
