import Testing
import TimeZones

@testable import Operator

@Suite struct ReportWindowTests {
    @Test(arguments: [(1, 1, 24), (4, 1, 96), (5, 2, 60), (7, 2, 84), (30, 12, 60), (90, 24, 90), (366, 96, 92)])
    func window_isCutIntoStretchesThatATelephoneShows(days: Int, hours: Int, count: Int) {
        let window = ReportFixture.window(days: days)
        #expect(window.stretchHours == hours && window.count == count)
    }

    @Test func window_howeverLong_holdsTheDaysAndNow() {
        for days in Report.days {
            for seconds in [0, 1, 3599, 86_399, 1_795_286_412] {
                let window = ReportWindow(now: Instant(seconds: Int64(seconds) + 366 * 86_400), days: days)
                #expect(window.count <= ReportWindow.mostStretches && window.from.seconds % window.stretch == 0)
                #expect(window.until > window.now && window.until - window.now <= window.stretch)
                // The last stretch is not over: of the days that were asked for at most that much is missing.
                #expect(window.now - window.from >= Int64(days) * 86_400 - window.stretch)
                #expect(window.beginning(of: window.count) == window.until)
            }
        }
    }

    @Test func marks_areFewRoundAndWithinTheWindow() {
        for days in Report.days {
            let marks = TimeText.marks(ReportFixture.window(days: days))
            #expect((2...5).contains(marks.count), "\(days): \(marks.map(\.text))")
            #expect(marks.allSatisfy { (0...1).contains($0.at) })
        }
        #expect(TimeText.marks(ReportFixture.window(days: 1)).map(\.text) == ["21 Nov", "06:00", "12:00", "18:00"])
    }

    @Test func text_ofInstants_namesWhatChanges() {
        let start = Instant(rfc3339: "2026-11-21T18:00:00Z") ?? Instant(seconds: 0)
        #expect(TimeText.span(from: start, until: start + 7200) == "21 Nov 18:00 to 20:00")
        #expect(TimeText.span(from: start, until: start + 6 * 3600) == "21 Nov 18:00 to 00:00")
        #expect(TimeText.span(from: start, until: start + 86_400) == "21 Nov 18:00 to 22 Nov 18:00")
        #expect(TimeText.minute(start) == "2026-11-21 18:00")
    }
}
