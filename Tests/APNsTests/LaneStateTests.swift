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
            lane.open(dialled, streams: 1)
            lane.goAway(dialled)
            if !lane.submitted.isEmpty { lane.complete(.unsent(.goaway)) }
            lane.close(dialled, why: "goaway")
        }
        #expect(dialled == 2 && lane.free == 0)
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
            lane.close(number, why: "reset")
            repeat {
                lane.pass(500)
                elapsed += 500
                if lane.free > 0 { lane.send() }
            } while lane.dials.count == number && elapsed < 300_000
            guard lane.dials.count > number else { break }
            number = lane.dials.count
            lane.open(number, streams: 1_000)
            if !lane.submitted.isEmpty { lane.answer(200) }
        }
        // In five minutes; without a brake it is a thousand each time.
        #expect(lost < 3_000 && number < 100, "\(lost) lost on \(number) connections")
    }

    /// Else a server that accepts one push on each connection could keep a core busy with handshakes and floods.
    @Test(arguments: [false, true]) func dial_waits_whenTheServerFloodedAProvenConnection(isRetiring: Bool) {
        var lane = LaneBench.proven()
        if isRetiring { lane.goAway(1) }
        lane.close(1, .flooded, why: "flooded")
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
            let isRefused = number % (1_000 / refused) == 0
            lane.answer(isRefused ? 429 : 200, isRefused ? "TooManyRequests" : nil)
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
        let foreign = PushOutcome.rejected(status: nil, reason: "topic_of_another_lane", deletes: nil)
        #expect(lane.outcomes == [.invalidToken, .payloadTooLarge, foreign] && lane.dials.isEmpty)
    }

    /// Only pushes to broken tokens wait. Apple answers about the token once it accepts key and topic.
    @Test(
        arguments: AnswerTests.stopping,
        [(400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, "Unregistered")]
    ) func lane_resumes_whenItsProbeIsAnsweredAboutTheToken(
        cause: (status: Int, reason: String),
        answer: (status: Int, reason: String)
    ) {
        var lane = LaneBench.proven()
        lane.send(2, isTrial: true)
        lane.answer(cause.status, cause.reason)
        lane.answer(answer.status, answer.reason)
        #expect(lane.free == 0, "it was sent before the stop")
        lane.close(1, why: "closed")
        lane.pass(60_000)
        lane.send(isTrial: true)
        if let dialled = lane.dials.last, dialled > 1 { lane.open(dialled, streams: 1_000) }
        lane.answer(answer.status, answer.reason)
        #expect(lane.log.last == .laneResumed && lane.status == .open && lane.free > 0)
    }

    @Test func connectionRests20Minutes_andNothingIsMinted_whenTooManyTokenUpdates() {
        var lane = LaneBench.proven()
        lane.send()
        lane.pass(33 * 60_000)
        lane.answer(429, "TooManyProviderTokenUpdates")
        #expect(lane.outcomes == [.unsent(reason: "TooManyProviderTokenUpdates")])
        var other: ProviderTokenSchedule.Use?
        let passed: Int64 = 10 * 60_000
        let outcome = lane.state.tokens.token(for: &other, now: lane.now + passed, wall: lane.wall + passed)
        #expect(outcome == other.map { .show($0.token) } && other?.token.number == 1, "no lane of the key mints")
        #expect(lane.status == .resting(until: lane.now + 1_200_000) && lane.free == 0)
        lane.send()
        #expect(lane.outcomes.last == .unsent(reason: "resting") && lane.dials == [1])
        lane.pass(1_199_999)
        #expect(lane.free == 0 && lane.state.nextWake(now: lane.now) == lane.now + 1)
        lane.pass(1)
        #expect(lane.free == 1_000)
        lane.send()
        #expect(lane.submitted.map(\.token) == [2] && lane.dials == [1])
    }

    /// The storm itself is scenario 18.
    @Test func rate_comesBack_whenAStormIsOver() {
        var lane = LaneBench.proven()
        for isStorm in [true, false] {
            for _ in 0..<4_000 where isStorm || lane.free < 1_000 {
                lane.pass(20)
                let free = lane.free
                if free > 0 { lane.send(free) }
                let result = isStorm ? LaneBench.response(503, "ServiceUnavailable") : LaneBench.response(200, nil)
                let completions = lane.submitted.map { Completion(tag: $0.tag, result: result) }
                lane.submitted = []
                lane.complete(completions, on: 1)
            }
            #expect(isStorm ? lane.free < 10 : lane.free > 500)
        }
    }

    @Test func limit_bindsWhatWaits_whenMoreWasHandedOver() {
        var lane = LaneBench.proven(maxInFlight: 30)
        lane.send(60)
        #expect(lane.submitted.count == 30)
        for _ in 0..<20 { lane.answer(500, "InternalServerError") }
        for _ in 0..<16 { lane.answer(200) }
        #expect((1...17).contains(lane.submitted.count))
    }

    @Test func limit_stands_whenAFewOfManyErr() {
        var lane = LaneBench.proven()
        for _ in 0..<20 {
            lane.send(lane.free)
            for index in 0..<1_000 { lane.answer(index % 50 == 7 ? 500 : 200) }
        }
        #expect(lane.free == 1_000)
    }
}
