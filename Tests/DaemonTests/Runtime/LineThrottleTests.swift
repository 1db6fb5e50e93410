import Testing

@testable import Daemon

@Suite struct LineThrottleTests {
    @Test func line_whenRepeated_isLetThroughOnceAnIntervalWithItsCount() {
        let throttle = LineThrottle(every: 10_000)
        #expect(throttle.admit("a", now: 0) == 0)
        #expect(throttle.admit("a", now: 1) == nil && throttle.admit("a", now: 9_999) == nil)
        #expect(throttle.admit("b", now: 5) == 0)
        #expect(throttle.admit("a", now: 10_000) == 2)
        #expect(throttle.admit("a", now: 20_000) == 0)
    }
}
