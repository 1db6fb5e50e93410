import Fixtures
import NudgedPreferences
import Policy
@testable import Core
import Testing
import TimeZones

/// When a reminder is due, and what comes after it.
@Suite struct ReminderHoursTests {
    typealias F = ReminderFixture

    private static let planner = PlannerFixture.planner()

    private func hours(_ reminder: PendingReminder, in zone: String?) throws -> ReminderHours {
        let candidate = Candidate(
            userID: F.author,
            preferences: Self.planner.parsed(nil),
            timezone: zone,
            nudge: .checkIn
        )
        return try ReminderHours(reminder, of: candidate, Self.planner.policy)
    }

    private func next(
        _ reminder: PendingReminder,
        in zone: String?,
        isFanOut: Bool = false,
        now: String
    ) throws -> ReminderContinuation? {
        try hours(reminder, in: zone).next(for: F.author, isFanOut: isFanOut, now: PlannerFixture.at(now))
    }

    @Test(arguments: [
        ("Europe/Berlin", "2026-06-01T09:00:00", "2026-06-01T07:00:00Z"),
        ("America/New_York", "2026-06-01T09:00:00", "2026-06-01T13:00:00Z"),
        // The clock leaps from two to three; it shows half past two twice.
        ("Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
        ("Pacific/Kiritimati", "2026-06-01T09:00:00", "2026-05-31T19:00:00Z"),
    ]) func due_whenItIsAWallTime_isInTheZoneOfWhoeverIsTold(zone: String, wall: String, instant: String) throws {
        let reminder = F.reminder(F.wall(wall))
        #expect(try hours(reminder, in: zone).due == PlannerFixture.at(instant))
        // Never before the row is looked at.
        #expect(reminder.wakesAt <= PlannerFixture.at(instant))
        #expect(try hours(F.reminder(F.wall(wall), timezone: zone), in: "Asia/Tokyo").due == PlannerFixture.at(instant))
        // A name that is none here is no reason for another instant.
        #expect(try hours(F.reminder(F.wall(wall), timezone: "Mars/Base"), in: zone).due == nil)
    }

    @Test func due_whenNobodyKnowsAZone_isOpenForWallTimesOnly() throws {
        #expect(try hours(F.reminder(F.wall("2026-06-01T09:00:00")), in: nil).due == nil)
        let instant = F.reminder(F.at("2026-06-01T09:00:00Z"))
        #expect(try hours(instant, in: nil).due == PlannerFixture.at("2026-06-01T09:00:00Z"))
    }

    /// At nine stays at nine when the clocks change.
    @Test func next_whenTheClocksChange_keepsTheWallTime() throws {
        let first = F.wall("2026-03-28T09:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let next = try #require(try next(reminder, in: "Europe/Berlin", now: "2026-03-28T08:00:00Z"))
        #expect(next.instant == PlannerFixture.at("2026-03-29T07:00:00Z") && next.number == 2)
        #expect(next.due == F.wall("2026-03-29T09:00:00") && next.planned == F.local("2026-03-29T09:00:00"))
        #expect(next.first == first && next.id == reminder.id && next.userID == F.author)
        // And again after that one.
        let second = reminder.continued(by: next)
        let third = try #require(try self.next(second, in: "Europe/Berlin", now: "2026-03-29T07:00:10Z"))
        #expect(third.instant == PlannerFixture.at("2026-03-30T07:00:00Z") && third.number == 3)
    }

    /// An instant becomes a wall time once a zone was asked.
    @Test func next_whenTheFirstWasAnInstant_countsItsWallTime() throws {
        let first = F.at("2026-10-24T07:00:00Z")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let next = try #require(try next(reminder, in: "Europe/Berlin", now: "2026-10-24T07:00:00Z"))
        #expect(next.instant == PlannerFixture.at("2026-10-25T08:00:00Z"), "at nine, in winter")
        #expect(next.due == F.wall("2026-10-25T09:00:00") && next.first == F.wall("2026-10-24T09:00:00"))
        let everyones = try #require(
            try self.next(reminder, in: "Europe/Berlin", isFanOut: true, now: "2026-10-24T07:00:00Z")
        )
        #expect(everyones.due == F.at("2026-10-25T08:00:00Z") && everyones.first == first)
        // Snoozed: the series goes on from its own hour.
        let snoozed = F.reminder(
            F.at("2026-10-24T20:00:00Z"),
            series: PendingReminder.Series(
                rule: "FREQ=DAILY",
                number: 2,
                first: first,
                planned: F.local("2026-10-24T09:00:00")
            )
        )
        let after = try #require(try self.next(snoozed, in: "Europe/Berlin", now: "2026-10-24T20:00:00Z"))
        #expect(after.instant == PlannerFixture.at("2026-10-25T08:00:00Z") && after.number == 3)
    }

    /// A wall time of everyone's stays one, though a snooze made this hour an instant; in one zone for all it is an instant.
    @Test func next_whenItIsEveryones_isAWallTimeUnlessThereIsOneZone() throws {
        let first = F.wall("2026-06-01T09:00:00")
        let snoozed = F.reminder(F.at("2026-06-01T20:00:00Z"), series: F.series("FREQ=DAILY", first))
        let next = try #require(try next(snoozed, in: "Europe/Berlin", isFanOut: true, now: "2026-06-01T20:00:00Z"))
        #expect(next.due == F.wall("2026-06-02T09:00:00"))
        let zoned = F.reminder(first, timezone: "Asia/Tokyo", series: F.series("FREQ=DAILY", first))
        let instant = try #require(
            try self.next(zoned, in: "Europe/Berlin", isFanOut: true, now: "2026-06-01T00:00:00Z")
        )
        #expect(instant.due == F.at("2026-06-02T00:00:00Z"))
        // Its fan-out begins long before its hour. The following hour is the next one all the same.
        let early = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let following = try #require(
            try self.next(early, in: "Pacific/Honolulu", isFanOut: true, now: "2026-05-31T19:00:00Z")
        )
        #expect(following.due == F.wall("2026-06-02T09:00:00"))
    }

    /// Nobody is told seven times of a week that nobody was there; they count.
    @Test func next_whenHoursWentBy_liesAhead() throws {
        let first = F.wall("2026-06-01T09:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY;COUNT=9", first))
        let next = try #require(try next(reminder, in: "UTC", now: "2026-06-08T12:00:00Z"))
        #expect(next.instant == PlannerFixture.at("2026-06-09T09:00:00Z") && next.number == 9)
        #expect(try self.next(reminder, in: "UTC", now: "2026-06-09T09:00:00Z") == nil)
    }

    @Test func next_whenThereIsNoZone_countsInUTC() throws {
        let first = F.at("2026-06-01T09:00:00Z")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY", first))
        let next = try #require(try next(reminder, in: nil, now: "2026-06-01T09:00:00Z"))
        #expect(next.due == F.at("2026-06-02T09:00:00Z") && next.first == first)
    }

    @Test(arguments: [nil, "FREQ=DAILY;COUNT=1", "FREQ=DAILY;UNTIL=20260601", "FREQ=NEVER"])
    func next_whenTheSeriesIsOver_isNone(rule: String?) throws {
        let first = F.wall("2026-06-01T09:00:00")
        let reminder = F.reminder(first, series: rule.map { F.series($0, first) })
        #expect(try next(reminder, in: "UTC", now: "2026-06-01T09:00:00Z") == nil)
    }
}
