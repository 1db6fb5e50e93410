import LocalPostgres
import TestSupport
import Testing
import TimeZones

@testable import Demo

/// The whole demo: one full day on a real PostgreSQL, over real TLS and HTTP/2.
@Suite(.ownThreads) struct DemoRunTests {
    @Test func demo_whenItRunsToTheEnd() async throws {
        let transcript = Transcript()
        let status = try await transcript.run(users: 300, seed: 42)
        #expect(status == .success, "\(transcript.text) \(transcript.complaints)")
        let lines = transcript.lines
        #expect(lines.last == "" && lines.dropLast().last?.hasPrefix("simulator and database agree: ") == true)
        #expect(lines.count { $0.contains(":00   ") } >= 24)
        #expect(lines.contains { $0.hasPrefix("nobody was woken: none of ") })
        let activities = lines.first { $0.contains(" started, none in quiet hours, and ended; of ") }
        #expect(activities?.split(separator: " ").first.flatMap { Int($0) } ?? 0 > 0)
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
        #expect(!transcript.text.contains("\u{1B}"))
        // Of 300 people some 230 are served, most of them daily.
        let sum = lines.first { $0.hasPrefix("  a day") }?.split(separator: " ").dropFirst(2).compactMap { Int($0) }
        #expect((sum?.first ?? 0) > 200)
        #expect((sum?.last ?? 0) > 0, "no stale token was met")
    }
}

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
