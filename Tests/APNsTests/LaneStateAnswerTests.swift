import HTTP2
import Testing

@testable import APNs

@Suite struct LaneStateAnswerTests {
    @Test(arguments: AnswerTests.rows.filter { $0.action == .rejectNudge })
    func push_isRejectedAndTheLaneGoesOn(row: (status: Int, reason: String, action: AnswerAction)) {
        var lane = LaneBench.proven()
        lane.send()
        lane.answer(row.status, row.reason)
        #expect(lane.outcomes == [.rejected(status: row.status, reason: row.reason, deletes: nil)])
        #expect(lane.status == .open && lane.free == 1_000 && lane.closes.isEmpty && lane.submitted.isEmpty)
    }

    @Test(arguments: AnswerTests.rows.filter { $0.action == .ourBug })
    func ourBug_isRejectedAndLogged(row: (status: Int, reason: String, action: AnswerAction)) {
        var lane = LaneBench.proven()
        lane.send()
        lane.answer(row.status, row.reason)
        #expect(lane.outcomes == [.rejected(status: row.status, reason: row.reason, deletes: nil)])
        #expect(lane.log == [.ourBug(status: row.status, reason: row.reason)])
    }

    /// Scenario 7's half of the sender.
    @Test func tokenDeletion_saysItsCondition_whenGone() {
        var lane = LaneBench.proven()
        lane.send(2)
        lane.answer(410, "ExpiredToken")
        lane.complete(LaneBench.response(410, body: "{\"reason\":\"Unregistered\",\"timestamp\":1788000000000}"))
        #expect(
            lane.outcomes == [
                .rejected(status: 410, reason: "ExpiredToken", deletes: .olderThanSend),
                .rejected(status: 410, reason: "Unregistered", deletes: .olderThan(timestamp: 1_788_000_000_000)),
            ]
        )
    }

    @Test(arguments: AnswerTests.stopping)
    func lane_stopsAndResumesByProbe_whenConfigurationIsRefused(row: (status: Int, reason: String)) {
        var lane = LaneBench.proven(maxInFlight: 3)
        lane.send(4)
        lane.answer(row.status, row.reason)
        // The one that waited is unsent too; those in flight are awaited.
        #expect(lane.outcomes == [.unsent(reason: row.reason), .unsent(reason: row.reason)])
        guard case .stopped(row.reason, let remedy, let probe) = lane.status else {
            Issue.record("\(lane.status)")
            return
        }
        #expect(lane.log == [.laneStopped(reason: row.reason, remedy: remedy)])
        #expect(probe == lane.now + 60_000 && lane.free == 0)
        lane.answer(200)
        lane.answer(row.status, row.reason)
        #expect(lane.log.count == 1, "one line, and an answer from before does not resume")
        lane.send(2)
        #expect(lane.submitted.isEmpty && lane.outcomes.suffix(2).allSatisfy { $0 == .unsent(reason: row.reason) })
        lane.handle(.closed(1, why: "closed"))

        lane.pass(60_000)
        #expect(lane.free == 1)
        lane.send(2)
        if let dialled = lane.dials.last, dialled > 1 { lane.handle(.opened(dialled, streams: 1_000)) }
        #expect(lane.submitted.count == 1 && lane.free == 0, "one probe")
        lane.answer(row.status, row.reason)
        #expect(lane.free == 0)
        lane.handle(.closed(lane.dials.last ?? 0, why: "closed"))
        lane.pass(61_000)
        #expect(lane.free == 1)
        lane.send()
        lane.handle(.opened(lane.dials.last ?? 0, streams: 1_000))
        lane.answer(200)
        #expect(lane.outcomes.last == .accepted && lane.log.last == .laneResumed)
        #expect(lane.status == .open && lane.free == 3)
    }

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

    @Test func expiredProviderToken_isRefreshedOnceOnANewConnection() {
        var lane = LaneBench.proven()
        lane.send(3)
        let first = lane.submitted[0].token
        lane.answer(403, "ExpiredProviderToken")
        lane.answer(403, "ExpiredProviderToken")
        lane.answer(403, "ExpiredProviderToken")
        #expect(lane.dials == [1, 2] && lane.closes == [1] && lane.results.isEmpty)
        lane.handle(.opened(2, streams: 1_000))
        #expect(lane.submitted.map(\.token) == [first + 1])
        lane.answer(200)
        #expect(lane.submitted.map(\.token) == [first + 1, first + 1])
        lane.answer(200)
        lane.answer(200)
        #expect(lane.outcomes == [.accepted, .accepted, .accepted])
    }

    @Test func lane_stops_whenEvenTheNewProviderTokenIsExpired() {
        var lane = LaneBench.proven()
        lane.send()
        lane.answer(403, "ExpiredProviderToken")
        lane.handle(.opened(2, streams: 1))
        lane.answer(403, "ExpiredProviderToken")
        #expect(lane.outcomes == [.unsent(reason: "ExpiredProviderToken")])
        guard case .stopped(_, let remedy, _) = lane.status else {
            Issue.record("\(lane.status)")
            return
        }
        #expect(remedy.contains("clock"))
    }

    @Test(arguments: [(403, "UnrelatedKeyIdInToken"), (400, "IdleTimeout")])
    func push_isSentAgainOnANewConnectionWithTheSameToken(status: Int, reason: String) {
        var lane = LaneBench.proven()
        lane.send()
        let token = lane.submitted[0].token
        lane.answer(status, reason)
        #expect(lane.dials == [1, 2] && lane.closes == [1])
        lane.handle(.opened(2, streams: 1))
        #expect(lane.submitted.map(\.token) == [token])
        lane.answer(200)
        #expect(lane.outcomes == [.accepted])
    }

    @Test func lane_backsOff_whenEachConnectionIsRefusedAnew() {
        var lane = LaneBench()
        lane.send()
        for number in 1...2 {
            lane.handle(.opened(number, streams: 1))
            lane.answer(400, "IdleTimeout")
        }
        #expect(lane.dials == [1, 2] && lane.free == 0)
        #expect(lane.outcomes == [.unsent(reason: "connections end without an accepted push")])
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

    /// Scenario 19.
    @Test func onlyTheDeviceWaits_whenItGotTooMany() {
        var lane = LaneBench.proven()
        lane.send(2)
        lane.complete(LaneBench.response(429, "TooManyRequests", headers: ["retry-after": "30"]))
        lane.answer(200)
        #expect(lane.outcomes == [.delayed(reason: "TooManyRequests", status: 429, retryAfter: 30), .accepted])
        #expect(lane.free == 1_000)
    }

    @Test func shutdown_alsoDrainsTheConnection() {
        var lane = LaneBench.proven()
        lane.send(2)
        lane.answer(503, "Shutdown")
        #expect(lane.outcomes == [.delayed(reason: "Shutdown", status: 503, retryAfter: nil)])
        lane.send()
        #expect(lane.dials == [1, 2] && lane.submitted.count == 1)
        lane.answer(200)
        #expect(lane.closes == [1])
    }

    /// Scenario 18: with a server that answers each push in 20 ms.
    @Test(arguments: [(500, "InternalServerError"), (503, "ServiceUnavailable")])
    func rateFallsBy90PercentInTenSeconds_whenStorm(status: Int, reason: String) {
        var lane = LaneBench.proven()
        var sent: [Int] = []
        for _ in 0..<60 {
            var count = 0
            for _ in 0..<50 {
                let free = lane.free
                if free > 0 { lane.send(free) }
                count += lane.submitted.count
                let tags = lane.submitted.map { Completion(tag: $0.tag, result: LaneBench.response(status, reason)) }
                lane.submitted = []
                lane.now += 20
                lane.wall += 20
                lane.handle(.completions(1, tags))
            }
            sent.append(count)
        }
        #expect(sent[10] * 10 <= 50_000 && sent[10...].reduce(0, +) <= 200, "\(sent)")
        let lines = lane.log.count { if case .storm = $0 { true } else { false } }
        #expect((2...7).contains(lines), "\(lines) lines in a minute")
        // And back again, when the storm is over.
        for _ in 0..<4_000 where lane.free < 1_000 {
            lane.pass(20)
            let free = lane.free
            if free > 0 { lane.send(free) }
            let tags = lane.submitted.map { Completion(tag: $0.tag, result: LaneBench.response(200, nil)) }
            lane.submitted = []
            lane.handle(.completions(1, tags))
        }
        #expect(lane.free > 500)
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
