import HTTP2
import Seeded
import TestSupport
import Testing

/// A server that misbehaves at random, from a seed.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct ChaosTests {
    private func script(_ seed: UInt64) -> Script {
        let generator = Observed(SplitMix64(seed: seed))
        return Script { request, connection in
            var (dice, number): (UInt64, UInt64) = (0, 0)
            generator.change { (dice, number) = ($0.next() % 400, $0.next()) }
            switch dice {
            case 0..<20: return .silence
            case 20..<30: return .reset(code: UInt32(number % 14))
            case 30..<36:
                // Not 0, with which the queue would rightly wait for ever.
                connection.perform(.streams(UInt32(1 + number % 60)))
                return .respond(status: 200)
            case 36..<40:
                connection.perform(.window(UInt32(number % 2_000)))
                return .respond(status: 200)
            case 40:
                connection.perform(.goAway(lastStreamID: Int32(number % UInt64(request.streamID + 40)) | 1))
                return .respond(status: 200)
            case 41: connection.perform(.resetTCP)
            case 42: connection.perform(.close)
            case 43: connection.perform(.garbage((0..<40).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) }))
            case 44: connection.perform(.shutdown(debug: ""))
            case 45: return .respond(status: 500, body: [UInt8](repeating: 1, count: 200_000))
            case 46..<60: return .unfinished(status: 200)
            case 60..<200: return .delayed(.milliseconds(Int(number % 20)), then: .respond(status: 200))
            default: return .respond(status: 200, headers: ["apns-id": "x"])
            }
            return .silence
        }
    }

    @Test(arguments: 0..<40) func everyTag_completesOnce_andSeenIsNeverUnsent(_ round: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let pair = try Pair(
            script(seed),
            server: { $0.maxConcurrentStreams = UInt32(1 + seed % 100) },
            client: { ($0.requestDeadline, $0.maximumStreams) = (60, Int(1 + seed / 100 % 200)) }
        )
        var taken: Set<UInt64> = []
        var generator = SplitMix64(seed: seed &+ 1)
        for part in 0..<UInt64(20) {
            let tags = part * 30 + 1...part * 30 + 30
            let body = Int(generator.next() % 3_000)
            let requests = tags.map { pair.request($0, body: body) }
            if pair.client.submit(requests) { taken.formUnion(tags) }
        }
        let count = taken.count
        #expect(await pair.told.wait { $0.completed >= count }.completed >= count, "seed \(seed)")
        pair.client.close()
        #expect(await pair.closeReason() != nil, "seed \(seed)")
        pair.server.stop()
        let told = pair.told.now
        #expect(Set(told.results.keys) == taken, "seed \(seed)")
        #expect(told.results.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
        for tag in pair.script.seen.now {
            guard case .unsent(let reason) = told.results[tag]?.first else { continue }
            // The script resets and goes away below what it has seen: then it is the server's word against its deed.
            #expect(reason == .refused || reason == .goaway, "seed \(seed), tag \(tag): seen, yet unsent as \(reason)")
        }
    }
}
