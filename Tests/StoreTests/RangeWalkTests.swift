import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Where candidates come from: everybody is found, daemons begin in different places.
@Suite struct RangeWalkTests {
    /// How many wait in each range; `take` answers as the database would.
    private struct Waiting {
        var counts: [Int32: Int]

        mutating func take(_ ask: RangeWalk.Ask, limit: Int) -> Int {
            var taken = 0
            for range in ask.ranges {
                let here = min(counts[range] ?? 0, limit - taken)
                counts[range, default: 0] -= here
                taken += here
            }
            return taken
        }

        var left: Int { counts.values.reduce(0, +) }
    }

    private func walk() -> RangeWalk { RangeWalk(over: Array(RangeWalk.ranges)) }

    @Test func walk_whenNobodyIsDue_endsAfterOneQuestionOfAll() {
        var walk = walk()
        #expect(Set(walk.ask.ranges) == Set(RangeWalk.ranges))
        let isEnd = walk.took(isFull: false, last: nil)
        #expect(isEnd)
    }

    @Test(arguments: [0, 1, 7, 100, 640, 5000]) func walk_whenItEnds_hasFoundEverybody(users: Int) {
        for limit in [1, 10, 100] {
            var counts: [Int32: Int] = [:]
            for _ in 0..<users { counts[Int32.random(in: RangeWalk.ranges), default: 0] += 1 }
            var waiting = Waiting(counts: counts)
            var walk = walk()
            var found = 0
            var questions = 0
            while true {
                let taken = waiting.take(walk.ask, limit: limit)
                found += taken
                questions += 1
                if walk.took(isFull: taken == limit, last: nil) { break }
                if questions > 4 * users + 100 {
                    Issue.record("it does not end: \(users) users, \(limit) at once")
                    break
                }
            }
            #expect(waiting.left == 0 && found == users, "\(users) users, \(limit) at once")
        }
    }

    @Test func walk_whenManyAreDue_asksOneRangeAtATimeAndGoesOnWhereItWas() {
        var walk = walk()
        _ = walk.took(isFull: true, last: nil)
        var asked: [Int32] = []
        for place in 0..<RangeWalk.ranges.count {
            #expect(walk.ask.ranges.count == 1)
            asked += walk.ask.ranges
            _ = walk.took(isFull: true, last: Cursor(dueAt: Int64(place), userID: UUID()))
        }
        #expect(Set(asked) == Set(RangeWalk.ranges))
        // The second time round each goes on after the last one of the first.
        for place in 0..<RangeWalk.ranges.count {
            #expect(walk.ask.ranges == [asked[place]] && walk.ask.after.dueAt == Int64(place))
            _ = walk.took(isFull: true, last: nil)
        }
    }

    @Test(arguments: [1, 3, 9]) func walk_whenFewRangesAreOurs_asksNoOther(count: Int) {
        let ranges = Array(RangeWalk.ranges.prefix(count))
        var walk = RangeWalk(over: ranges)
        #expect(walk.covers(ranges.reversed()) && !walk.covers([31]))
        for place in 0..<50 {
            #expect(Set(walk.ask.ranges).isSubset(of: ranges) && Set(walk.ask.ranges).count == walk.ask.ranges.count)
            _ = walk.took(isFull: place % 3 != 1, last: nil)
        }
    }

    @Test func walks_whenTheyBegin_differ() {
        let orders = (0..<8).map { _ in walk().ask.ranges }
        #expect(Set(orders).count == 8)
    }
}
