import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator

/// What a forecast counts, and how it looks.
@Suite struct ForecastTextTests {
    typealias F = PlannerFixture

    private static let start = F.at("2026-05-06T00:30:00Z")

    private static func forecast(hours: Int, _ user: ClaimedUser, paused: Set<NudgeKind> = []) -> Forecast {
        var planner = F.planner()
        planner.paused = paused
        let end = start + Int64(hours) * 3600
        var tally = ForecastTally(start: start, end: end)
        FutureUser(planner: planner, start: start, end: end).run(user, into: &tally)
        return Forecast(hours: hours, tally: tally, paused: paused)
    }

    /// Daily at 10:00 in Tokyo, which is 01:00 in UTC; two devices.
    @Test func forecast_whenAUserIsDaily_countsEachDay() {
        let user = F.user(since: Self.start - 86_400, devices: [F.device(1), F.device(2)])
        let forecast = Self.forecast(hours: 48, user)
        #expect(forecast.pushes == 4 && forecast.tally.nudges == 2 && forecast.tally.hours.count == 49)
        #expect(forecast.tally.hours.enumerated().filter { $1.allPushes > 0 }.map(\.offset) == [1, 25])
        let (plain, drawn) = (Screen(width: 60, hasBlocks: false), Screen(width: 60, hasBlocks: true))
        #expect(forecast.text(on: plain).contains("Wed 05-06 01:00             2  ##########"))
        #expect(forecast.text(on: drawn).contains("Thu 05-07 01:00             2  ██████████"))
        #expect(forecast.json.contains(#""pushes":4,"#))
        #expect(forecast.json.contains(#""by_kind":{"check_in":4,"message":0"#))
        // The last instant is no more of it.
        #expect(Self.forecast(hours: 24, user).pushes == 2)
    }

    @Test func forecast_whenAUserIsHeld_countsThemOnceByReason() {
        let held = Self.forecast(hours: 72, F.user(preferences: nil))
        #expect(held.pushes == 0 && held.json.contains(#""resting":{"not_opted_in":1}"#))
        let paused = Self.forecast(hours: 72, F.user(since: Self.start - 86_400), paused: [.checkIn])
        #expect(paused.pushes == 0 && paused.json.contains(#""resting":{"paused":1}"#))
        let text = paused.text(on: Screen(width: 80, hasBlocks: true))
        #expect(text.contains("paused: check_in; the forecast assumes that the pause lasts"))
    }

    @Test func tallies_whenAdded_areSums() {
        var sum = ForecastTally(start: Self.start, end: Self.start + 48 * 3600)
        var one = sum
        FutureUser(planner: F.planner(), start: Self.start, end: Self.start + 48 * 3600)
            .run(F.user(since: Self.start - 86_400), into: &one)
        sum.add(one)
        #expect(sum == one && one.pushes == 2)
        sum.add(one)
        #expect(sum.pushes == 4 && sum.users == 2 && sum.nudges == 4 && sum.hours[1].allPushes == 2)
        #expect(sum.resting == one.resting.mapValues { 2 * $0 })
    }

    /// 09:30 in Tokyo: two messages go now, one ends unsent before the night's end, and the check-in counts them.
    @Test func forecast_whenMessagesWait_countsThem() {
        func message(_ number: UInt8, expiresAt: Instant? = nil) -> PendingMessage {
            PendingMessage(
                id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)),
                createdAt: Self.start - Int64(number),
                title: "Hi",
                body: "there",
                expiresAt: expiresAt
            )
        }
        let messages = [message(1), message(2), message(3, expiresAt: Self.start)]
        let user = F.user(since: Self.start - 86_400, messages: messages, hasMoreMessages: true)
        let forecast = Self.forecast(hours: 24, user)
        #expect(forecast.tally.nudges == 3 && forecast.pushes == 3 && forecast.tally.hours[0].allPushes == 2)
        #expect(forecast.json.contains(#""by_kind":{"check_in":1,"message":2,"reminder":0}"#), "\(forecast.json)")
        #expect(forecast.json.contains(#""dropped":{"expired":1}"#), "\(forecast.json)")
        let text = forecast.text(on: Screen(width: 80, hasBlocks: false))
        #expect(text.contains("messages and reminders that are dropped"))
        #expect(!forecast.json.contains("there"))
        let held = Self.forecast(hours: 24, user, paused: [.message])
        #expect(held.json.contains(#""by_kind":{"check_in":1,"message":0,"reminder":0}"#), "\(held.json)")
    }
}
