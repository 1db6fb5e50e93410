import HTTP2
import Testing

@testable import APNs

@Suite struct LaneStateAnswerTests {
    /// Only pushes to broken tokens wait. Apple answers about the token once it accepts key and topic.
    @Test(
        arguments: AnswerTests.stopping,
        [(400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, "Unregistered")]
    )
    func lane_resumes_whenItsProbeIsAnsweredAboutTheToken(
        cause: (status: Int, reason: String),
        answer: (status: Int, reason: String)
    ) {
        var lane = LaneBench.proven()
        lane.send(2, isTrial: true)
        lane.answer(cause.status, cause.reason)
        lane.answer(answer.status, answer.reason)
        #expect(lane.free == 0, "it was sent before the stop")
        lane.handle(.closed(1, why: "closed"))
        lane.pass(60_000)
        lane.send(isTrial: true)
        if let dialled = lane.dials.last, dialled > 1 { lane.handle(.opened(dialled, streams: 1_000)) }
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
                lane.handle(.completions(1, completions))
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
