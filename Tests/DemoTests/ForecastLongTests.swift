import Glibc
import LocalPostgres
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

    private func forecast(_ scene: PlayedScene, at now: Instant, hours: Int = Self.hours) async throws -> Forecast {
        let engine = scene.engine.engine
        return try await Forecast.read(hours: hours, planner: engine.assembly.planner, store: engine.store, now: now)
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

    /// Some users were seen lately, some ignored as many check-ins as a step of the ladder or nearly so, and some are
    /// held out. Nobody comes during the week, which the forecast can't know. The clock goes from one user who is due to
    /// the next, so each push is in its hour.
    @Test(.timeLimit(.minutes(30))) func forecast_whenUsersWereSeenOrIgnoreOrAreHeldOut_isTheWeekThatFollows()
        async throws
    {
        let hours = 168
        let scene = try await PlayedScene(
            users: 120,
            seed: 6,
            start: Self.start,
            answer: .accepted,
            rules: [
                "POLICY_SKIP_IF_ACTIVE_MINUTES": "1200", "POLICY_BACK_OFF_AFTER": "3", "POLICY_HOLDOUT_PERCENT": "20",
            ]
        )
        _ = try scene.lines(
            """
            with u as (select user_id, row_number() over (order by user_id) as n from nudged.recipient),
            s as (
                insert into nudged.seen select user_id, timestamptz '\(Self.start.rfc3339)' - n % 24 * interval '1 hour' from u
                where n % 3 = 0
            )
            insert into nudged.person (user_id, due_at, ignored)
            select user_id, '\(Self.start.rfc3339)', n % 11 from u where n % 3 > 0
            on conflict (user_id) do update set ignored = excluded.ignored
            """
        )
        let tally = try await forecast(scene, at: Self.start, hours: hours).tally
        var now = Self.start
        while now < Self.start + Int64(hours) * 3600 {
            try await scene.serve(at: now)
            let due = try #require(
                try scene.lines("select floor(extract(epoch from min(due_at)))::bigint from nudged.person").first
            )
            now = max(now + 1, Instant(seconds: try #require(Int64(due))))
        }
        let end = (Self.start + Int64(hours) * 3600).rfc3339
        let played = try scene.lines(
            """
            select extract(epoch from date_trunc('hour', attempted_at))::bigint || ' ' || count(*) from nudged.delivery
            where outcome = 'accepted' and attempted_at < '\(end)' group by date_trunc('hour', attempted_at) order by 1
            """
        )
        let foretold = tally.hours.enumerated().filter { $1.allPushes > 0 }
            .map { "\(tally.beginning(of: $0).seconds) \($1.allPushes)" }
        #expect(foretold == played)
        let skipped = try scene.lines(
            "select reason || ' ' || count(*) from nudged.delivery where outcome = 'skipped' group by reason order by reason"
        )
        #expect(tally.skipped.sorted { $0.key < $1.key }.map { "\($0) \($1)" } == skipped)
        #expect(tally.skipped["active"] ?? 0 > 2 && tally.skipped["holdout"] ?? 0 > 15, "\(tally.skipped)")
        #expect(tally.resting[.dormant, default: 0] > 5)
        await scene.end()
    }

    @Test func forecast_whenCheckInsArePaused_sendsNothing() async throws {
        let scene = try await PlayedScene(users: 40, seed: 5, start: Self.start, answer: .accepted)
        _ = try await scene.engine.engine.store.pause([.checkIn], by: "ada@web-1", why: nil)
        let forecast = try await forecast(scene, at: Self.start)
        #expect(forecast.tally.pushes == 0 && forecast.tally.users == 40)
        #expect(forecast.text(on: Screen(width: 80, hasBlocks: false)).contains("paused: check_in"))
        await scene.end()
    }
}
