@testable import Demo
import LocalPostgres
import TestSupport
import Testing
import TimeZones

@Suite(.ownThreads, .serialized) struct RefusedStreamsTests {
    @Test func serve_whenApplesServerRefusesTheStreams_sendsAMomentLater() async throws {
        let start = Instant(seconds: 1_800_000_000)
        let scene = try await PlayedScene(users: 60, seed: 3, start: start, answer: .refusedOnce)
        let later = start + 6 * 3600
        try await scene.serve(at: later)
        #expect(scene.apple.simulator.counts.accepted > 0)
        let due = try scene.lines("select count(*) from nudged.person where due_at <= '\((later + 1).rfc3339)'")
        #expect(due == ["0"])
        await scene.end()
    }
}
