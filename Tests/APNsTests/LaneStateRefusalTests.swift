import HTTP2
import TestSupport
import Testing

@testable import APNs

/// How a lane takes answers that refuse a token: scenario 9, and those that are the devices' own fault.
@Suite struct LaneStateRefusalTests {
    @Test(arguments: ["BadDeviceToken", "DeviceTokenNotForTopic"])
    func refusedTokens_areQuarantined_whenMostAreGood(reason: String) {
        var lane = LaneBench.proven()
        let first = lane.results.count
        lane.send(99)
        lane.answer(400, reason)
        for _ in 0..<97 { lane.answer(200) }
        #expect(lane.condemned.isEmpty, "the window is open")
        #expect(lane.outcomes[first] == .suspect(status: 400, reason: reason))
        lane.answer(200)
        #expect(lane.condemned == [lane.results[first].tag])
        #expect(lane.status == .open && lane.log.isEmpty)
    }

    @Test func refusedTokens_areQuarantined_whenAMinuteIsOver() {
        var lane = LaneBench.proven()
        lane.send(2)
        lane.answer(400, "BadDeviceToken")
        #expect(lane.state.nextWake(now: lane.now) != nil, "a timer is asked for")
        lane.pass(59_999)
        #expect(lane.condemned.isEmpty)
        lane.pass(1)
        #expect(lane.condemned.count == 1 && lane.status == .open)
        lane.pass(135_000)
        #expect(lane.condemned.count == 1, "once")
    }

    @Test func lane_stops_whenMostOfAHundredAreRefused_andNobodyIsQuarantined() {
        var lane = LaneBench.proven()
        lane.send(120)
        // One more was accepted before these: 49 good ones.
        for _ in 0..<48 { lane.answer(200) }
        for _ in 0..<51 { lane.answer(400, "BadDeviceToken") }
        guard case .stopped("BadDeviceToken", let remedy, let probe) = lane.status else {
            return fail("\(lane.status)")
        }
        #expect(remedy.contains("apns.environment") && remedy.contains("apns.bundleId"))
        #expect(lane.log == [.laneStopped(reason: "BadDeviceToken", remedy: remedy)] && lane.free == 0)
        #expect(probe == lane.now + 60_000)

        // The pushes in flight are refused too, but no device is blamed.
        for _ in 0..<21 { lane.answer(400, "BadDeviceToken") }
        lane.pass(60_000)
        #expect(lane.condemned.isEmpty && lane.free == 1 && lane.submitted.isEmpty)

        // The probe is refused: the lane stays stopped, and its device is not blamed either.
        lane.send()
        #expect(lane.submitted.count == 1)
        lane.answer(400, "BadDeviceToken")
        lane.pass(59_000)
        #expect(lane.free == 0 && lane.condemned.isEmpty && lane.log.count == 1)
        lane.pass(1_000)
        lane.send()
        lane.answer(200)
        #expect(lane.status == .open && lane.log.last == .laneResumed && lane.condemned.isEmpty)
    }

    /// Tokens that another environment has refused are tried here. Those that are broken must not stop this lane.
    @Test func lane_goesOn_whenAllItsTrialsAreRefused() {
        var lane = LaneBench.proven()
        let first = lane.results.count
        lane.send(150, isTrial: true)
        for _ in 0..<150 { lane.answer(400, "BadDeviceToken") }
        #expect(lane.status == .open && lane.log.isEmpty)
        #expect(lane.outcomes[first...].allSatisfy { $0 == .suspect(status: 400, reason: "BadDeviceToken") })
        lane.pass(60_000)
        #expect(lane.condemned.isEmpty, "the caller knows enough")

        // The lane's own devices count as ever.
        lane.send(120)
        for _ in 0..<100 { lane.answer(400, "BadDeviceToken") }
        guard case .stopped("BadDeviceToken", _, _) = lane.status else { return fail("\(lane.status)") }
    }

    /// Storms and refusals of the lane say nothing about tokens: they neither fill a window nor count in its majority.
    @Test func window_isFilledByWhatSpeaksOfTokensOnly() {
        var lane = LaneBench.proven()
        lane.send(200)
        for _ in 0..<51 { lane.answer(400, "BadDeviceToken") }
        for _ in 0..<40 { lane.answer(429, "TooManyRequests") }
        for _ in 0..<20 { lane.answer(400, "BadCollapseId") }
        #expect(lane.condemned.isEmpty && lane.status == .open)
        for _ in 0..<49 { lane.answer(410, "Unregistered") }
        guard case .stopped = lane.status else { return fail("\(lane.status)") }
    }

    @Test func window_closes_whenNothingMoreWillCome() {
        var lane = LaneBench.proven()
        lane.send(3)
        lane.answer(400, "BadDeviceToken")
        lane.handle(.concludeWindow)
        #expect(lane.condemned.count == 1)
        lane.handle(.concludeWindow)
        #expect(lane.condemned.count == 1)
    }

    /// A drain blames no device. A later sweep tries them again.
    @Test func drain_quarantinesNobody() {
        var lane = LaneBench.proven()
        lane.send(1)
        lane.answer(400, "BadDeviceToken")
        lane.handle(.drain)
        lane.pass(120_000)
        #expect(lane.condemned.isEmpty)
    }
}
