import FoundationEssentials
import HTTP2
import TestSupport
import Testing

@testable import APNs

@Suite struct LaneStateTests {
    @Test func goAway_doesNotSpin_whenEachConnectionEndsSo() {
        var lane = LaneBench()
        var dialled = 0
        for _ in 0..<50 {
            lane.send()
            if lane.dials.count == dialled { continue }
            dialled = lane.dials.count
            lane.handle(.opened(dialled, streams: 1))
            lane.handle(.goAway(dialled, reason: "x"))
            if !lane.submitted.isEmpty { lane.complete(.unsent(.goaway)) }
            lane.handle(.closed(dialled, why: "goaway"))
        }
        #expect(dialled == 2)
        #expect(lane.free == 0)
        if case .backingOff = lane.status {} else { Issue.record("\(lane.status)") }
    }

    /// Each connection takes one push, accepts it and breaks with all the others in flight: what it costs is bounded, and nothing spins.
    @Test func lane_slowsDown_whenEachConnectionBreaksSoon() {
        var lane = LaneBench.proven()
        var number = 1
        var (lost, elapsed) = (0, 0)
        while elapsed < 300_000 {
            lane.send(lane.free)
            let flying = lane.submitted.count
            for _ in 0..<flying { lane.complete(.unknown(.connectionLost)) }
            lost += flying
            lane.handle(.closed(number, why: "reset"))
            repeat {
                lane.pass(500)
                elapsed += 500
                if lane.free > 0 { lane.send() }
            } while lane.dials.count == number && elapsed < 300_000
            guard lane.dials.count > number else { break }
            number = lane.dials.count
            lane.handle(.opened(number, streams: 1_000))
            if !lane.submitted.isEmpty { lane.answer(200) }
        }
        // In five minutes; without a brake it is a thousand each time.
        #expect(lost < 3_000 && number < 100, "\(lost) lost on \(number) connections")
    }

    /// Else a server that accepts one push on each connection could keep a core busy with handshakes and floods.
    @Test(arguments: [false, true]) func dial_waits_whenTheServerFloodedAProvenConnection(isRetiring: Bool) {
        var lane = LaneBench.proven()
        if isRetiring { lane.handle(.goAway(1, reason: "x")) }
        lane.handle(.closed(1, why: "flooded", wasFlooded: true))
        guard case .backingOff(let until, "flooded") = lane.status else { return fail("\(lane.status)") }
        let pause = until - lane.now
        #expect(lane.log.contains(.connectionLost(connection: 1, why: "flooded", retryInMilliseconds: pause)))
        lane.send()
        #expect(lane.dials == [1] && lane.free == 0 && lane.outcomes == [.unsent(reason: "flooded")])
        lane.pass(pause)
        lane.send()
        #expect(lane.dials == [1, 2])
    }

    @Test func lane_slowsDown_whenNothingIsAnswered() {
        var lane = LaneBench.proven()
        lane.send(1_000)
        for _ in 0..<1_000 { lane.complete(.unknown(.deadline)) }
        #expect(lane.state.limit.limit <= 500)
    }

    /// Many devices that get too many: we are too fast. One of a thousand: it waits alone.
    @Test(arguments: [(1, false), (10, false), (200, true)])
    func lane_slowsDown_whenATenthGetsTooMany(refused: Int, isSlower: Bool) {
        var lane = LaneBench.proven()
        lane.send(1_000)
        for number in 0..<1_000 {
            if number % (1_000 / refused) == 0 {
                lane.answer(429, "TooManyRequests")
            } else {
                lane.answer(200)
            }
        }
        // No pause: nobody else waits for them.
        #expect((lane.state.limit.round > 0) == isSlower && lane.status == .open)
    }

    @Test func push_isAnsweredWithoutBeingSent_whenItIsNoPush() {
        var lane = LaneBench()
        func push(_ tag: UInt64, token: String = "ab12", size: Int = 1) -> Push {
            Push(tag: tag, token: token, apnsID: UUID(), payload: Array(repeating: 0, count: size), writeBy: .max)
        }
        lane.send(PushBatch([push(1, token: "xyz"), push(2, size: 4_097)]))
        lane.send(PushBatch([push(3)], topic: "com.example.Other"))
        #expect(
            lane.outcomes == [
                .invalidToken, .payloadTooLarge, .rejected(status: nil, reason: "topic_of_another_lane", deletes: nil),
            ]
        )
        #expect(lane.dials.isEmpty)
    }
}
