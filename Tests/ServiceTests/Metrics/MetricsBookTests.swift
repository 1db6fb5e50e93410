import Testing
import TimeZones

@testable import Core
@testable import Service

import struct FoundationEssentials.UUID

@Suite struct MetricsBookTests {
    private static func finished(good: Bool, _ milliseconds: Int64) -> SweepEvent {
        var report = SweepReport()
        report.isGood = good
        report.milliseconds = milliseconds
        return .finished(id: UUID(), report)
    }

    @Test func book_countsWhatSweepsTell() {
        var book = MetricsBook()
        book.hear(Self.finished(good: true, 3), now: Instant(seconds: 100))
        book.hear(Self.finished(good: false, 1_000_000), now: Instant(seconds: 200))
        for event in [.settlementFailed(error: "x"), .settlementFailed(error: "y"), .progress, .fenced(pushes: 3)]
            as [SweepEvent]
        {
            book.hear(event, now: Instant(seconds: 300))
        }
        #expect(book.goodSweeps == 1 && book.badSweeps == 1 && book.writeFailures == 2)
        // A bad sweep is no success.
        #expect(book.lastSuccess == Instant(seconds: 100))
        #expect(book.durations.counts.first == 1 && book.durations.counts.last == 1)
        #expect(book.durations.sum == 1000.003)
    }

    @Test func lastSuccess_whileNoClockIsKnown_isNone() {
        var book = MetricsBook()
        book.hear(Self.finished(good: true, 3), now: nil)
        #expect(book.lastSuccess == nil)
    }
}
