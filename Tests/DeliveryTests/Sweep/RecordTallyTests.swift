@testable import Core
import Testing

@Suite struct RecordTallyTests {
    @Test func tally_countsByKindAndOutcome() {
        var tally = RecordTally()
        tally.enter(.accepted, of: "check_in", 2)
        tally.enter(.accepted, of: "message")
        tally.enter(.rejected, of: "message", 3)
        var sum = RecordTally()
        sum.add(tally)
        sum.add(tally)
        sum.enter(.deferred, of: "a newer kind")
        #expect(sum.count(.deferred) == 1 && RecordTally().count(.deferred) == 0)
        #expect(sum.count(.accepted) == 6 && sum.count(.accepted, of: "message") == 2)
        #expect(sum.count(.rejected, of: "message") == 6 && sum.count(.rejected, of: "check_in") == 0)
    }

    /// The journal's text and the metrics show the same counts.
    @Test func report_countsWhatItEntered() {
        var report = SweepReport()
        for (place, outcome) in DeliveryRecord.Outcome.allCases.enumerated() {
            for _ in 0...place { report.record.enter(outcome, of: place % 2 == 0 ? "check_in" : "reminder") }
        }
        let counts = [report.sent, report.rejected, report.deferred, report.dropped, report.skipped, report.unknown]
        #expect(counts == [1, 2, 3, 4, 5, 6])
        var two = report
        two.add(report)
        #expect(two.sent == 2 && two.unknown == 12 && two.record.count(.unknown, of: "reminder") == 12)
    }
}
