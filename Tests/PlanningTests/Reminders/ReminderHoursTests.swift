import Fixtures
import NudgedPreferences
import Policy
@testable import Core
import TestSupport
import Testing
import TimeZones

/// When a reminder is due, and what comes after it.
@Suite struct ReminderHoursTests {
    typealias F = ReminderFixture

    private static let planner = PlannerFixture.planner()

    private func hours(_ reminder: PendingReminder, in zone: String?) throws -> ReminderHours {
        let none = Self.planner.parsed(nil)
        let candidate = Candidate(userID: F.author, preferences: none, timezone: zone, nudge: .checkIn)
        return try ReminderHours(reminder, of: candidate, Self.planner.policy)
    }

    private func next(_ reminder: PendingReminder, in zone: String?, isFanOut: Bool = false, now: String)
        throws -> ReminderContinuation?
    {
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

    private static func due(_ text: String) -> PendingReminder.Due {
        text.hasPrefix("wall:") ? F.wall(String(text.dropFirst("wall:".count))) : F.at(text)
    }

    /// `Tests/Reference/reminder-series.txt` says what comes next.
    @Test func next_isAsWritten() throws {
        let lines = try Checkout.reference("reminder-series")
        #expect(lines.count == 13)
        for line in lines {
            let parts = line.split(separator: " | ")
            var asked = try #require(try PlanLine.all(in: parts[0]).first)
            let (dueText, nowText) = (asked.value("due"), asked.value("now"))
            let due = Self.due(try #require(dueText))
            let first = asked.value("first").map(Self.due) ?? due
            let number: Int = try asked.value("number").map { try PlanLine.number($0) } ?? 1
            let planned = asked.value("planned").map(F.local)
            let series = asked.value("rule").map { rule in
                let wall = planned ?? F.series(rule, first).planned
                return PendingReminder.Series(rule: rule, number: number, first: first, planned: wall)
            }
            let reminder = F.reminder(due, timezone: asked.value("timezone"), series: series)
            let (zone, now) = (asked.value("zone"), try #require(nowText))
            let next = try next(reminder, in: zone, isFanOut: asked.has("everyones"), now: now)
            try asked.end()
            var wanted = try #require(try PlanLine.all(in: parts[1]).first)
            #expect((next == nil) == wanted.has("none"), "\(line)")
            for (key, value) in wanted.allValues() {
                let isSo =
                    switch key {
                    case "instant": next?.instant == PlannerFixture.at(value)
                    case "due": next?.due == Self.due(value)
                    case "first": next?.first == Self.due(value)
                    default: next.map { "\($0.number)" } == value
                    }
                #expect(isSo, "\(line)")
            }
            try wanted.end()
        }
    }
}
