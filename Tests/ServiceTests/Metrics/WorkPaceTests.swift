import Testing

@testable import Service

@Suite struct WorkPaceTests {
    @Test func question_comesEveryFifteenSeconds_andLaterAfterASlowAnswer() {
        var pace = WorkPace()
        // One at a time.
        let first = ([0, 100_000] as [Int64]).map { pace.begin(now: $0) }
        pace.end(now: 10)
        let second = ([14_999, 15_000] as [Int64]).map { pace.begin(now: $0) }
        // Two seconds of work, forty of rest.
        pace.end(now: 17_000)
        let third = ([56_999, 57_000] as [Int64]).map { pace.begin(now: $0) }
        #expect([first, second, third] == [[true, false], [false, true], [false, true]])
    }
}
