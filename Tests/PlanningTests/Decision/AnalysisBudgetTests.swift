import Seeded
import TestSupport
import Testing
import TimeZones

@testable import Core

@Suite struct AnalysisBudgetTests {
    private static let now = Instant(seconds: 1_000_000)

    @Test func budget_holdsForAnyHour() {
        var budget = AnalysisBudget([], now: Self.now)
        for second in 0..<5 {
            #expect(budget.allows(5, now: Self.now + Int64(second)))
            budget.spend(now: Self.now + Int64(second))
        }
        #expect(!budget.allows(5, now: Self.now + 5))
        #expect(budget.allows(6, now: Self.now + 5))
        #expect(!budget.allows(5, now: Self.now + 3_599))
        // An hour after the first one there is room for one.
        #expect(budget.allows(5, now: Self.now + 3_600))
        budget.spend(now: Self.now + 3_600)
        #expect(!budget.allows(5, now: Self.now + 3_600))
        #expect(budget.allows(5, now: Self.now + 3_601))
    }

    @Test func budget_whenAClockWasWrong_isNotSpentForLong() {
        let ahead = AnalysisBudget([Self.now + 86_400, Self.now + 3_599], now: Self.now)
        #expect(ahead.asked == [Self.now + 3_599])
        #expect(!ahead.allows(1, now: Self.now))
        #expect(AnalysisBudget([Instant(seconds: .max), Instant(seconds: .min)], now: Self.now).asked.isEmpty)
    }

    @Test func row_holdsTheNewestTwenty_inOrder() {
        let many = (0..<50).map { Self.now - Int64($0 * 7 % 50) }
        let budget = AnalysisBudget(many, now: Self.now)
        #expect(budget.asked == (0..<20).reversed().map { Self.now - Int64($0) })
        #expect(!budget.allows(.max, now: Self.now))
    }

    /// Whatever is asked when, no hour holds more than the limit.
    @Test(arguments: Seeds.all) func hour_neverHoldsMore(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = random.int(5...20)
        var row: [Instant] = []
        var asked: [Instant] = []
        var now = Self.now
        for _ in 0..<400 {
            now = now + Int64(random.int(0...300))
            var budget = AnalysisBudget(row, now: now)
            if budget.allows(limit, now: now) {
                budget.spend(now: now)
                asked.append(now)
            } else {
                #expect(asked.count { $0 > now - 3_600 } == limit, "seed \(seed)")
            }
            row = budget.asked
            #expect(row.count <= 20)
            #expect(asked.count { $0 > now - 3_600 } <= limit, "seed \(seed)")
        }
    }
}
