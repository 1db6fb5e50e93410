import HTTP2
import TestSupport
import Testing

@testable import APNs

/// `Tests/Reference/lanes.txt` says what happens to lanes, and what is seen then.
@Suite struct LaneLifeTests {
    @Test func lanes_liveAsWritten() throws {
        let lines = try Checkout.reference("lanes")
        #expect(lines.count == 51)
        var lane = LaneBench()
        for line in lines {
            let parts = line.split(separator: " | ")
            try #require(parts.count == 2, "\(line)")
            for event in parts[0].split(separator: "; ") { try lane.play(event.split(separator: " ").map(String.init)) }
            for fact in parts[1].split(separator: "; ") {
                let words = fact.split(separator: " ", maxSplits: 1).map(String.init)
                let found = lane.fact(words[0], words[1])
                #expect(found == words[1], "\(line)")
            }
        }
    }
}

extension LaneBench {
    private struct Unknown: Error { let word: String }

    /// What happens.
    fileprivate mutating func play(_ words: [String]) throws {
        let numbers = words.compactMap { Int($0) }
        let reason = words.first { $0.first?.isUppercase == true }
        let times = words.last.flatMap { $0.hasPrefix("x") ? Int($0.dropFirst()) : nil } ?? 1
        switch words[0] {
        case "new": self = LaneBench()
        case "proven": self = .proven(connections: numbers.first ?? 1, maxInFlight: numbers.last ?? 1_000)
        case "send": send(numbers.first ?? 1, isTrial: words.contains("trial"))
        case "late": send(writeBy: now + Int64(numbers[0]))
        case "answer":
            for _ in 0..<times { answer(numbers[0], reason, index: numbers.count > 1 ? numbers[1] : 0) }
        case "unsent":
            let reasons: [String: UnsentReason] = ["goaway": .goaway, "refused": .refused, "reset": .reset(code: 7)]
            guard let reason = reasons[words[1]] else { throw Unknown(word: words[1]) }
            for _ in 0..<times { complete(.unsent(reason)) }
        case "lost": for _ in 0..<times { complete(.unknown(.connectionLost)) }
        case "untaken":
            let last = submitted.removeLast()
            handle(.notTaken(last.link, last.tag..<last.tag + 1))
        case "opened": open(numbers[0], streams: numbers[1])
        case "closed": close(numbers[0], why: "closed")
        case "pass": pass(Int64(numbers[0]))
        case "later": now += Int64(numbers[0])
        case "drain": handle(.drain)
        case "conclude": handle(.concludeWindow)
        case "configured": handle(.configured(state.configuration))
        default: throw Unknown(word: words[0])
        }
    }

    /// What is seen.
    fileprivate func fact(_ name: String, _ detail: String) -> String? {
        func list<Item>(_ items: [Item]) -> String { items.map { "\($0)" }.joined(separator: " ") }
        switch name {
        case "free": return "\(free)"
        case "flying": return "\(submitted.count)"
        case "links": return list(submitted.map(\.link))
        case "dials": return list(dials)
        case "closes": return list(closes)
        case "blamed": return condemned.isEmpty ? "none" : list(condemned)
        case "told": return log.isEmpty ? "none" : log.map(\.line).joined(separator: ", ")
        case "resumed": return log.contains(.laneResumed) ? "yes" : "no"
        case "drained": return state.isDrained ? "yes" : "no"
        case "wakes": return state.nextWake(now: now).map { "\($0 - now)" }
        case "ended": return outcomes.map { "\($0)" }.joined(separator: ", ")
        case "last": return outcomes.last.map { "\($0)" }
        case "each": return outcomes.allSatisfy { $0 == outcomes[0] } ? "\(outcomes[0])" : nil
        case "status":
            if case .stopped(let reason, _, _) = status { return "stopped \(reason)" }
            return "\(status)"
        case "probe": if case .stopped(_, _, let probe) = status { return "\(probe - now)" } else { return nil }
        // In its status and in the log.
        case "advises":
            guard case .stopped(let reason, let remedy, _) = status, remedy.contains(detail) else { return nil }
            return log.contains(.laneStopped(reason: reason, remedy: remedy)) ? detail : nil
        default: return nil
        }
    }
}
