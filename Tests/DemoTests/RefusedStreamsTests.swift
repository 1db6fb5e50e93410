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
        // Of a user with several devices, some may follow a second later.
        let due = try scene.lines(
            """
            select user_id from nudged.person p where due_at <= '\((later + 1).rfc3339)' and retry is not null
                and not exists (select from nudged.delivery d where d.user_id = p.user_id and d.outcome = 'accepted')
            """
        )
        #expect(due == [])
        await scene.end()
    }
}
