import HTTP2
import Seeded
import TestSupport
import Testing

@testable import APNs

@Suite struct LaneStatePropertyTests {
    private static let answers: [(Int, String?)] =
        AnswerTests.rows.map { ($0.status, $0.reason) } + AnswerTests.stopping.map { ($0.status, $0.reason) }
        + [(418, nil), (502, nil), (410, nil)] + Array(repeating: (200, nil), count: 40)

    private static let unsent: [UnsentReason] = [
        .tooLate, .refused, .goaway, .reset(code: 2), .deadline, .connectionLost, .closed, .malformed,
    ]

    /// Random events: every push has exactly one result, none is on two connections, none is sent after its answer,
    /// and the bounds hold at every step.
    @Test func everyPush_hasExactlyOneResult_whateverHappens() {
        let seed = UInt64.random(in: 0 ... .max)
        for round in 0..<60 {
            var run = Run(seed: seed &+ UInt64(round))
            run.go(seed: "seed \(seed), round \(round)")
        }
    }

    private struct Run {
        var random: SplitMix64
        var lane: LaneBench
        var given: Set<UInt64> = []
        var answered: Set<UInt64> = []
        var open: Set<Int> = []
        var dialling: Set<Int> = []
        var seen = (submitted: 0, dials: 0, closes: 0, results: 0)
        var flights: [(link: Int, tag: UInt64, push: UInt64)] = []

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            let connections = Int.random(in: 1...3, using: &random)
            lane = LaneBench(connections: connections, maxInFlight: Int.random(in: 1...40, using: &random))
        }

        mutating func go(seed: String) {
            for _ in 0..<400 {
                step(seed)
                check(seed)
            }
            lane.handle(.drain)
            check(seed)
            lane.handle(.cutOff)
            check(seed)
            while let link = (open.union(dialling)).min() { close(link, seed) }
            check(seed)
            #expect(answered == given, "\(seed)")
            #expect(lane.state.isDrained && lane.state.inFlight == 0, "\(seed)")
        }

        private mutating func step(_ seed: String) {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<30:
                let until = lane.now + Int64.random(in: -10...100_000, using: &random)
                given.formUnion(lane.send(Int.random(in: 1...12, using: &random), writeBy: until))
            case 30..<70: completeSome()
            case 70..<80:
                guard let link = dialling.randomElement(using: &random) else { return }
                dialling.remove(link)
                open.insert(link)
                lane.open(link, streams: Int.random(in: 0...20, using: &random))
            case 80..<84:
                guard let link = open.randomElement(using: &random) else { return }
                lane.open(link, streams: Int.random(in: 0...20, using: &random))
            case 84..<86:
                guard let link = open.randomElement(using: &random) else { return }
                lane.goAway(link)
            case 86..<88:
                guard let link = open.union(dialling).randomElement(using: &random) else { return }
                close(link, seed)
            case 88..<89:
                lane.handle(.configured(lane.state.configuration))
            case 89..<90:
                lane.wall += Int64.random(in: -7_200_000...7_200_000, using: &random)
            default:
                let wake = lane.state.nextWake(now: lane.now)
                lane.pass(wake.map { $0 - lane.now } ?? Int64.random(in: 0...5_000, using: &random))
            }
        }

        private mutating func completeSome() {
            guard let link = open.randomElement(using: &random) else { return }
            var completions: [Completion] = []
            for flight in flights.filter({ $0.link == link }).prefix(Int.random(in: 1...9, using: &random)) {
                flights.removeAll { $0.tag == flight.tag }
                completions.append(Completion(tag: flight.tag, result: result()))
            }
            lane.complete(completions, on: link)
        }

        private mutating func result() -> RequestResult {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .unknown(Bool.random(using: &random) ? .deadline : .reset(code: 1))
            case 1: return .unsent(LaneStatePropertyTests.unsent.randomElement(using: &random) ?? .refused)
            default:
                let (status, reason) = LaneStatePropertyTests.answers.randomElement(using: &random) ?? (200, nil)
                return LaneBench.response(status, reason)
            }
        }

        /// As the wire does: all completions, then the end. What is given to it in between is not taken.
        private mutating func close(_ link: Int, _ seed: String) {
            let mine = flights.filter { $0.link == link }
            flights.removeAll { $0.link == link }
            // Some were on their way to the connection and never taken.
            let taken = mine.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            let lost: [RequestResult] = [.unknown(.connectionLost), .unsent(.connectionLost)]
            let completions = taken.map { flight in
                Completion(tag: flight.tag, result: lost.randomElement(using: &random) ?? lost[0])
            }
            lane.complete(completions, on: link)
            let late = absorb(seed, closing: link)
            lane.close(link, why: "lost")
            open.remove(link)
            dialling.remove(link)
            absorb(seed)
            for tag in mine.map(\.tag) + late { lane.handle(.notTaken(link, tag..<tag + 1)) }
        }

        /// Takes in what the lane did; returns what it gave to the connection that is closing.
        @discardableResult
        private mutating func absorb(_ seed: String, closing: Int? = nil) -> [UInt64] {
            var late: [UInt64] = []
            for result in lane.results.dropFirst(seen.results) {
                #expect(given.contains(result.tag), "\(seed)")
                #expect(answered.insert(result.tag).inserted, "\(seed): a second result")
            }
            seen.results = lane.results.count
            for one in lane.submitted.dropFirst(seen.submitted) {
                #expect(!answered.contains(one.push), "\(seed): sent after its answer")
                #expect(!flights.contains { $0.push == one.push }, "\(seed): on two connections")
                #expect(one.writeBy > lane.now, "\(seed): sent too late")
                #expect(open.contains(one.link) || one.link == closing, "\(seed): sent on no open connection")
                if one.link == closing { late.append(one.tag) } else { flights.append((one.link, one.tag, one.push)) }
            }
            seen.submitted = lane.submitted.count
            dialling.formUnion(lane.dials.dropFirst(seen.dials))
            seen.dials = lane.dials.count
            return late
        }

        private mutating func check(_ seed: String) {
            absorb(seed)
            while seen.closes < lane.closes.count {
                let link = lane.closes[seen.closes]
                seen.closes += 1
                guard lane.state.phase != .draining else { continue }
                #expect(!flights.contains { $0.link == link }, "\(seed): closed with pushes in flight")
                open.remove(link)
                dialling.remove(link)
                lane.close(link, why: "closed")
                absorb(seed)
            }
            #expect(flights.count <= lane.state.configuration.maxInFlight, "\(seed)")
            #expect(lane.state.inFlight == flights.count, "\(seed)")
            #expect(lane.state.links.count(where: \.isActive) <= lane.state.configuration.connections, "\(seed)")
            let free = lane.free
            #expect(free >= 0 && free <= lane.state.configuration.maxInFlight, "\(seed)")
            if let wake = lane.state.nextWake(now: lane.now) { #expect(wake > lane.now, "\(seed)") }
        }
    }
}
