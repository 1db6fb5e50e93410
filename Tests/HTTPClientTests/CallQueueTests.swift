import Seeded
import TestSupport
import Testing

@testable import HTTPClient

@Suite struct CallQueueTests {
    private static let start = ContinuousClock.now
    private static func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func calls_startInTheirOrder_asManyAsFit() {
        var queue = CallQueue(concurrency: 2, capacity: 2)
        for id in 1...4 { #expect(queue.add(UInt64(id), deadline: Self.at(10)) == true) }
        #expect(queue.add(5, deadline: Self.at(10)) == false)
        #expect(queue.turn(now: Self.at(0)) == .init(started: [1, 2]))
        #expect(queue.add(6, deadline: Self.at(10)) == false)
        #expect(queue.turn(now: Self.at(0)) == .init())
        queue.remove(2)
        #expect(queue.add(7, deadline: Self.at(10)) == true)
        #expect(queue.turn(now: Self.at(0)) == .init(started: [3]))
    }

    @Test func call_whoseTimeIsOverWhileItRuns_makesRoom() {
        var queue = CallQueue(concurrency: 1, capacity: 5)
        _ = queue.add(1, deadline: Self.at(5))
        _ = queue.add(2, deadline: Self.at(9))
        _ = queue.turn(now: Self.at(0))
        #expect(queue.turn(now: Self.at(5)) == .init(expired: [1], started: [2]))
        #expect(queue.nextDeadline == Self.at(9))
        queue.remove(2)
        #expect(queue.nextDeadline == nil)
    }

    /// Whatever comes and goes: no more run than may, no more wait than may, and each call has one end.
    @Test(arguments: Seeds.all) func queue_staysInItsBounds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (concurrency, capacity) = (random.int(1...4), random.int(0...4))
        var queue = CallQueue(concurrency: concurrency, capacity: capacity)
        var running: Set<UInt64> = []
        var waiting: Set<UInt64> = []
        for step in 0..<500 {
            switch random.int(0...3) {
            case 0, 1:
                let id = UInt64(step)
                let isRoom = waiting.count + running.count < concurrency + capacity
                #expect(queue.add(id, deadline: Self.at(step + random.int(0...40))) == isRoom, "seed \(seed)")
                if isRoom { waiting.insert(id) }
            case 2:
                guard let id = random.chance(50) ? running.first : waiting.first else { continue }
                queue.remove(id)
                running.remove(id)
                waiting.remove(id)
            default:
                let turn = queue.turn(now: Self.at(step))
                for id in turn.started { #expect(waiting.remove(id) != nil, "seed \(seed)") }
                for id in turn.expired {
                    let wasThere = running.remove(id) ?? waiting.remove(id)
                    #expect(wasThere != nil, "seed \(seed)")
                }
                running.formUnion(turn.started)
                #expect(running.count <= concurrency, "seed \(seed)")
                #expect(running.count == concurrency || waiting.isEmpty, "seed \(seed)")
            }
        }
    }
}
