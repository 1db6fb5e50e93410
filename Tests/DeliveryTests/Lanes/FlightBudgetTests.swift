import Seeded
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

@Suite struct FlightBudgetTests {
    @Test func room_whenAlone_isEverything() {
        #expect(FlightBudget(total: 1_000, lanes: 1).room(own: 0, others: []) == 1_000)
        #expect(FlightBudget(total: 1_000, lanes: 1).room(own: 999, others: []) == 1)
    }

    @Test func room_whenAnotherHangsWithAllItMayHave_isLeft() {
        let budget = FlightBudget(total: 1_000, lanes: 2)
        #expect(budget.room(own: 0, others: []) == 750 && budget.room(own: 0, others: [750]) == 250)
    }

    /// However lanes take and give back: never more than the total in all, and a lane below its reserve always finds room.
    @Test(arguments: Seeds.all) func lanes_neverExceedTheTotal(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let lanes = Int(random.next() % 6) + 1
            let total = Int(random.next() % 500) + 1
            let budget = FlightBudget(total: total, lanes: lanes)
            var open = Array(repeating: 0, count: lanes)
            for _ in 0..<200 {
                let lane = Int(random.next() % UInt64(lanes))
                if random.next() % 3 == 0 {
                    open[lane] -= Int(random.next() % UInt64(open[lane] + 1))
                    continue
                }
                let others = open.indices.filter { $0 != lane && open[$0] > 0 }.map { open[$0] }
                let room = budget.room(own: open[lane], others: others)
                if lanes > 1, open[lane] < total / (2 * lanes) { #expect(room > 0, "seed \(seed)") }
                open[lane] += Int(random.next() % UInt64(room + 1))
                #expect(open.reduce(0, +) <= total, "seed \(seed): \(open) of \(total)")
            }
        }
    }
}

@Suite struct BacklogTests {
    @Test(arguments: [(0, 1, 2), (60_000, 60, 120), (86_400_000, 450, 900)])
    func wait_growsWithTheTroubleAndIsSpread(fullFor: Int64, least: Int64, most: Int64) {
        let now = Instant(seconds: 1_000)
        let user = UUID()
        let waits = (0..<1_000).map { Backlog.until(now, full: fullFor, user, boot: $0).seconds - 1_000 }
        #expect(waits.min() == least && waits.max() == most)
    }
}
