import Seeded
import TestSupport
import Testing

@testable import Core

@Suite struct CircuitBreakerTests {
    /// One question and its end, at one instant.
    private static func ask(_ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.Outcome, at now: Int64) {
        if let pass = breaker.pass(now: now) { breaker.end(pass, outcome, now: now, jitter: 1) }
    }

    private static let outcomes: [String: CircuitBreaker.Outcome] = [
        "answer": .answered, "answered": .answered, "fail": .failed, "failed": .failed, "abandon": .abandoned,
        "abandoned": .abandoned,
    ]

    /// `Tests/Reference/circuit-breaker.txt` says what it is told, and how it stands then.
    @Test func breaker_standsAsWritten() throws {
        let lines = try Checkout.text("Tests/Reference/circuit-breaker.txt").split(separator: "\n")
        #expect(lines.count { !$0.hasPrefix("#") } == 35)
        var (breaker, now) = (CircuitBreaker(), Int64(0))
        var passes: [String: CircuitBreaker.Pass] = [:]
        for line in lines {
            if line.hasPrefix("## ") { (breaker, now) = (CircuitBreaker(), 0) }
            if line.hasPrefix("#") { continue }
            let parts = line.split(separator: " | ")
            for event in parts[0].split(separator: "; ") {
                let words = event.split(separator: " ").map(String.init)
                switch words[0] {
                case "at": now = try #require(Int64(words[1]))
                case "ask":
                    passes[words[1]] = breaker.pass(now: now)
                    #expect(passes[words[1]] != nil, "\(line)")
                case "end":
                    let (pass, outcome) = (try #require(passes[words[1]]), try #require(Self.outcomes[words[2]]))
                    breaker.end(pass, outcome, now: now, jitter: words.count > 3 ? 0 : 1)
                default:
                    let outcome = try #require(Self.outcomes[words[0]])
                    let times = try words.count > 1 ? #require(Int(words[1])) : 1
                    for _ in 0..<times { Self.ask(&breaker, outcome, at: now) }
                }
            }
            let isSo = parts[1] == "refuses" ? breaker.pass(now: now) == nil : "\(breaker.state)".hasPrefix(parts[1])
            #expect(isSo, "\(line): \(breaker.state)")
        }
    }

    @Test func breaker_whereFewerFail_staysClosed() {
        var breaker = CircuitBreaker()
        for index in 0..<500 { Self.ask(&breaker, index % 5 < 2 ? .failed : .answered, at: 0) }
        #expect(!breaker.isOpen)
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
