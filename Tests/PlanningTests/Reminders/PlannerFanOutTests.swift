import Fixtures
import Policy
@testable import Core
import TestSupport
import Testing
import TimeZones

/// What is done with a reminder for everyone.
@Suite struct PlannerFanOutTests {
    typealias F = ReminderFixture

    private let planner = PlannerFixture.planner()

    private func fanOut(_ reminder: PendingReminder, _ zone: String? = "Europe/Berlin") -> DueFanOut {
        DueFanOut(reminder: reminder, timezone: zone)
    }

    private func decide(_ fanOut: DueFanOut, at now: String) throws -> FanOutDecision {
        try planner.decide(fanOut, now: PlannerFixture.at(now))
    }

    @Test func fanOut_whenItDoesNotLive_isDropped() throws {
        let dead = F.reminder(F.at("2026-06-01T09:00:00Z"), isCancelled: true)
        #expect(try decide(fanOut(dead), at: "2026-06-01T09:00:00Z") == .drop)
    }

    @Test func fanOut_whenItsHourCame_isToldToAll() throws {
        let once = F.reminder(F.at("2026-06-01T09:00:00Z"))
        #expect(try decide(fanOut(once), at: "2026-06-01T09:00:00Z") == .tell(next: nil))
        // A wall time, fourteen hours ahead.
        let first = F.wall("2026-06-01T09:00:00")
        let daily = F.reminder(first, series: F.series("FREQ=DAILY", first))
        guard case .tell(let next?) = try decide(fanOut(daily), at: "2026-05-31T19:00:00Z") else {
            return fail("not told")
        }
        #expect(next.due == F.wall("2026-06-02T09:00:00"))
        // Whose zone: the preferences' before the profile's.
        let instant = F.at("2026-03-28T08:00:00Z")
        let instants = F.reminder(instant, series: F.series("FREQ=DAILY", instant))
        let tokyo = DueFanOut(reminder: instants, preferences: PlannerFixture.daily, timezone: "Europe/Berlin")
        for (one, due) in [(tokyo, "2026-03-29T08:00:00Z"), (fanOut(instants), "2026-03-29T07:00:00Z")] {
            guard case .tell(let next?) = try decide(one, at: "2026-03-28T08:00:00Z") else { return fail("not told") }
            #expect(next.due == F.at(due))
        }
    }

    @Test func fanOut_whenThereIsOneZoneForAll_waitsForTheInstant() throws {
        let reminder = F.reminder(F.wall("2026-06-01T09:00:00"), timezone: "America/New_York")
        let instant = PlannerFixture.at("2026-06-01T13:00:00Z")
        #expect(try decide(fanOut(reminder), at: "2026-05-31T19:00:00Z") == .wait(until: instant))
        #expect(try decide(fanOut(reminder), at: "2026-06-01T13:00:00Z") == .tell(next: nil))
    }
}
