import Glibc
import LocalPostgres
import Policy
@testable import Core
import TestSupport
import Testing
import TimeZones

@testable import Operator
@testable import Service
@testable import Demo

/// What `nudged forecast` says is what a simulated run of those hours then sends, across a change of clocks and in every zone.
@Suite(.ownThreads, .serialized) struct ForecastLongTests {
    /// A night in which Europe's clocks go forward lies in the first day.
    private static let start = Instant(rfc3339: "2027-03-27T17:20:00Z") ?? Instant(seconds: 0)
    private static let hours = 48

    /// `NUDGED_FORECAST_USERS=100000` plays the measure: some twenty minutes.
    private static let users = getenv("NUDGED_FORECAST_USERS").flatMap { Int(String(cString: $0)) } ?? 700

    private func forecast(_ scene: PlayedScene, at now: Instant) async throws -> Forecast {
        let engine = scene.engine.engine
        return try await Forecast.read(
            hours: Self.hours,
            planner: engine.assembly.planner,
            store: engine.store,
            now: now
        )
    }

    private func person(_ scene: PlayedScene) throws -> [String] {
        try scene.lines("select md5(string_agg(p::text, ',' order by user_id)) from nudged.person p")
    }

    @Test(.timeLimit(.minutes(60))) func forecast_whenTheHoursArePlayed_isWhatIsSent() async throws {
        let scene = try await PlayedScene(users: Self.users, seed: 5, start: Self.start, answer: .accepted)
        let before = try person(scene)
        let forecast = try await forecast(scene, at: Self.start)
        #expect(try person(scene) == before, "a forecast writes nothing")
        for minute in 0..<Self.hours * 60 { try await scene.serve(at: Self.start + Int64(minute) * 60) }

        var played: [String: Int] = [:]
        let rows = try scene.lines(
            """
            select hour || ' ' || count(*)
            from (
                select to_char(attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00"Z"') as hour
                from nudged.delivery where outcome = 'accepted'
            ) d
            group by hour
            """
        )
        for row in rows {
            let parts = row.split(separator: " ")
            played[String(parts[0])] = Int(parts[1])
        }
        let total = played.values.reduce(0, +)
        print("forecast \(forecast.tally.pushes) pushes, played \(total), \(Self.users) users")
        #expect(total > Self.users && total == scene.apple.simulator.counts.accepted)
        #expect(abs(forecast.tally.pushes - total) * 100 <= total, "forecast \(forecast.tally.pushes), played \(total)")
        for (place, hour) in forecast.tally.hours.enumerated() {
            let sent = played[forecast.tally.beginning(of: place).rfc3339] ?? 0
            // The played clock goes by minutes: what is due in an hour's last one is sent in the next.
            #expect(abs(hour.allPushes - sent) <= max(6, sent / 20), "hour \(place): \(hour.allPushes), played \(sent)")
        }
        let skipped = try scene.lines("select count(*) from nudged.delivery where outcome = 'skipped'")
        #expect(skipped == ["\(forecast.tally.skipped.values.reduce(0, +))"])
        await scene.end()
    }

    @Test func forecast_whenCheckInsArePaused_sendsNothing() async throws {
        let scene = try await PlayedScene(users: 40, seed: 5, start: Self.start, answer: .accepted)
        _ = try await scene.engine.engine.store.pause([.checkIn], byWhom: "ada@web-1", reason: nil)
        let forecast = try await forecast(scene, at: Self.start)
        #expect(forecast.tally.pushes == 0 && forecast.tally.users == 40)
        #expect(forecast.text(on: Screen(width: 80, hasBlocks: false)).contains("paused: check_in"))
        await scene.end()
    }
}
