import Seeded
import TestSupport
import Testing

@testable import Core

@Suite struct CircuitBreakerTests {
    /// One question and its end, at one instant.
    private static func ask(_ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.Outcome, at now: Int64) {
        if let pass = breaker.pass(now: now) { breaker.end(pass, outcome, now: now, jitter: 1) }
    }

    /// Leave that must be given.
    private static func pass(_ breaker: inout CircuitBreaker, _ now: Int64) throws -> CircuitBreaker.Pass {
        let pass = breaker.pass(now: now)
        return try #require(pass)
    }

    /// Open since 0, for a second.
    private static func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { ask(&breaker, .failed, at: 0) }
        return breaker
    }

    @Test func breaker_opensAfterFiveFailuresInARow() {
        var breaker = CircuitBreaker()
        for _ in 0..<4 { Self.ask(&breaker, .failed, at: 0) }
        Self.ask(&breaker, .answered, at: 0)
        for _ in 0..<4 { Self.ask(&breaker, .failed, at: 0) }
        #expect(!breaker.isOpen)
        Self.ask(&breaker, .failed, at: 0)
        #expect(breaker.state == .open(until: 1_000))
        #expect(breaker.pass(now: 999) == nil)
    }

    @Test func breaker_opensWhereHalfOfAWindowFails() {
        var breaker = CircuitBreaker()
        // Never two in a row.
        for _ in 0..<9 {
            Self.ask(&breaker, .answered, at: 0)
            Self.ask(&breaker, .failed, at: 0)
        }
        Self.ask(&breaker, .answered, at: 0)
        #expect(!breaker.isOpen)
        Self.ask(&breaker, .failed, at: 0)
        #expect(breaker.isOpen)
    }

    @Test func breaker_whereFewerFail_staysClosed() {
        var breaker = CircuitBreaker()
        for index in 0..<500 { Self.ask(&breaker, index % 5 < 2 ? .failed : .answered, at: 0) }
        #expect(!breaker.isOpen)
    }

    @Test func breaker_forgetsWhatIsOlderThanItsWindow() {
        var breaker = CircuitBreaker()
        for index in 0..<9 { Self.ask(&breaker, index % 2 == 0 ? .failed : .answered, at: 0) }
        for _ in 0..<20 { Self.ask(&breaker, .answered, at: 0) }
        for index in 0..<10 { Self.ask(&breaker, index % 2 == 0 ? .failed : .answered, at: 0) }
        #expect(!breaker.isOpen)
    }

    @Test func breaker_afterItsPause_letsOneAsk() throws {
        var breaker = Self.opened()
        let probe = try Self.pass(&breaker, 1_000)
        #expect(breaker.state == .halfOpen(since: 1_000))
        #expect(breaker.pass(now: 1_001) == nil)
        breaker.end(probe, .answered, now: 1_100, jitter: 1)
        #expect(breaker.state == .closed)
        // Nothing of before counts.
        for _ in 0..<4 { Self.ask(&breaker, .failed, at: 1_200) }
        #expect(!breaker.isOpen)
        Self.ask(&breaker, .failed, at: 1_200)
        #expect(breaker.state == .open(until: 2_200))
    }

    @Test func breaker_whenProbesFail_waitsLonger() throws {
        var breaker = Self.opened()
        var now: Int64 = 1_000
        for pause in [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] as [Int64] {
            let probe = try Self.pass(&breaker, now)
            breaker.end(probe, .failed, now: now, jitter: 1)
            #expect(breaker.state == .open(until: now + pause))
            #expect(breaker.pass(now: now + pause - 1) == nil)
            now += pause
        }
        // Jitter takes up to half of it away.
        let probe = try Self.pass(&breaker, now)
        breaker.end(probe, .failed, now: now, jitter: 0)
        #expect(breaker.state == .open(until: now + 30_000))
    }

    @Test func breaker_whenAProbeIsGivenUp_pausesAsBefore() throws {
        var breaker = Self.opened()
        let probe = try Self.pass(&breaker, 1_000)
        breaker.end(probe, .abandoned, now: 1_000, jitter: 1)
        #expect(breaker.state == .open(until: 2_000))
    }

    @Test func breaker_whenNobodyEndsAProbe_letsAnotherAsk() throws {
        var breaker = Self.opened()
        let lost = try Self.pass(&breaker, 1_000)
        #expect(breaker.pass(now: 60_999) == nil)
        let probe = try Self.pass(&breaker, 61_000)
        // The lost one's end says nothing any more.
        breaker.end(lost, .failed, now: 61_001, jitter: 1)
        #expect(breaker.state == .halfOpen(since: 61_000))
        breaker.end(probe, .answered, now: 61_002, jitter: 1)
        #expect(breaker.state == .closed)
    }

    @Test func end_ofWhatWasAskedBefore_changesNothing() throws {
        var breaker = CircuitBreaker()
        let early = try Self.pass(&breaker, 0)
        let second = try Self.pass(&breaker, 0)
        for _ in 0..<5 { Self.ask(&breaker, .failed, at: 0) }
        breaker.end(early, .answered, now: 10, jitter: 1)
        #expect(breaker.state == .open(until: 1_000))
        let probe = try Self.pass(&breaker, 1_000)
        breaker.end(second, .answered, now: 1_001, jitter: 1)
        #expect(breaker.state == .halfOpen(since: 1_000))
        breaker.end(probe, .failed, now: 1_002, jitter: 1)
        #expect(breaker.isOpen)
    }

    @Test func end_ofWhatWeGaveUp_saysNothing() {
        var breaker = CircuitBreaker()
        for _ in 0..<100 { Self.ask(&breaker, .abandoned, at: 0) }
        for _ in 0..<4 { Self.ask(&breaker, .failed, at: 0) }
        Self.ask(&breaker, .abandoned, at: 0)
        #expect(!breaker.isOpen)
        Self.ask(&breaker, .failed, at: 0)
        #expect(breaker.isOpen)
    }

    /// Whatever happens: one probe at a time, and a service that answers is asked again within the longest pause.
    @Test(arguments: Seeds.all) func breaker_alwaysComesBack(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var breaker = CircuitBreaker()
        var now: Int64 = 0
        var out: [CircuitBreaker.Pass] = []
        for _ in 0..<2_000 {
            now += Int64(random.int(0...2_000))
            if random.chance(60) {
                if let pass = breaker.pass(now: now) { out.append(pass) }
            } else if !out.isEmpty {
                let pass = out.remove(at: random.int(0...out.count - 1))
                let jitter = Double(random.int(0...100)) / 100
                breaker.end(pass, random.pick(CircuitBreaker.Outcome.allCases), now: now, jitter: jitter)
            }
            if case .open(let until) = breaker.state { #expect(until - now <= 60_000, "seed \(seed)") }
        }
        now += 60_000
        Self.ask(&breaker, .answered, at: now)
        #expect(!breaker.isOpen, "seed \(seed)")
    }
}
