import TestSupport
import Testing

@testable import Demo

/// The whole demo: one full day on a real PostgreSQL, over real TLS and HTTP/2.
@Suite(.ownThreads) struct DemoRunTests {
    @Test func demo_whenItRunsToTheEnd() async throws {
        let transcript = Transcript()
        let status = await Demo(users: 300, seed: 42, output: transcript.output()).run(Interruption())
        #expect(status == .success, "\(transcript.text) \(transcript.complaints)")
        try transcript.expectNothingLeft()
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
