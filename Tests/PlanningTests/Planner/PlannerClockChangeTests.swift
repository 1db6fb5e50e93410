import APNs
import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// Messages for a wall time at both clock changes: clocks skip the time in spring, and show it twice in autumn.
@Suite struct PlannerClockChangeTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture
    typealias R = ReminderFixture

    private let planner = F.planner()

    /// Without quiet hours; with check-ins at a time, or without.
    private static func preferences(_ zone: String, checkIn: String? = nil) -> String {
        let night = #""quiet_hours_start":"00:00","quiet_hours_end":"00:00""#
        let time = checkIn ?? "10:00"
        return #"{"check_ins_enabled":\#(checkIn != nil),"frequency":"daily","check_in_time":"\#(time)","#
            + #""timezone":"\#(zone)",\#(night)}"#
    }

    private static func user(_ zone: String, _ wall: String, created: Instant) -> ClaimedUser {
        M.user([M.message(1, created: created, due: R.wall(wall))], history: History(), preferences: preferences(zone))
    }

    /// In Berlin clocks go from 02:00 to 03:00 on 2026-03-29, and from 03:00 back to 02:00 on 2026-10-25. Lord Howe's
    /// go by half an hour. In New York it is another day.
    @Test(arguments: [
        ("Europe/Berlin", "2026-06-01T09:00:00", "2026-06-01T07:00:00Z"),
        ("Asia/Tokyo", "2026-10-25T02:30:00", "2026-10-24T17:30:00Z"),
        ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
        ("Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29T02:59:59", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29T03:00:01", "2026-03-29T01:00:01Z"),
        ("Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
        ("Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25T00:00:00Z"),
        ("Europe/Berlin", "2026-10-25T02:59:59", "2026-10-25T00:59:59Z"),
        ("Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z"),
        ("America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:00:00Z"),
        ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z"),
        ("Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:30:00Z"),
        ("Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00Z"),
        // A day before a change and a day after it, the same wall time is another instant.
        ("Europe/Berlin", "2026-03-28T02:30:00", "2026-03-28T01:30:00Z"),
        ("Europe/Berlin", "2026-03-30T02:30:00", "2026-03-30T00:30:00Z"),
        ("Europe/Berlin", "2026-10-24T02:30:00", "2026-10-24T00:30:00Z"),
        ("Europe/Berlin", "2026-10-26T02:30:00", "2026-10-26T01:30:00Z"),
    ]) func message_whenClocksChange_isDueOnceAtTheFirstInstant(zone: String, wall: String, instant: String) throws {
        let due = F.at(instant)
        // It was planned before the clocks changed.
        let user = Self.user(zone, wall, created: due - 3 * 86_400)
        let before = planner.plan(user, now: due - 1)
        #expect(before.sendPlan == nil && before.ended.isEmpty && before.rest?.dueAt == due)
        let plan = try #require(planner.plan(user, now: due).sendPlan)
        #expect(plan.nudges.map(\.identity) == [.message(M.id(1))])
        let settled = planner.settle(plan, outcomes: [PushOutcome.accepted], attemptedAt: due, now: due)
        #expect(settled.ended == [M.id(1)], "the second time finds nothing")
    }

    /// Check-in, reminder and message of one wall time: they agree on its instant, and each comes.
    @Test(arguments: [
        ("2026-03-29T02:30:00", "2026-03-29T01:00:00Z"), ("2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
    ]) func nudges_whenTheyHaveOneWallTime_areDueTogether(wall: String, instant: String) throws {
        let due = F.at(instant)
        let user = F.user(
            history: History(),
            preferences: Self.preferences("Europe/Berlin", checkIn: "02:30"),
            messages: [M.message(1, created: due - 86_400, due: R.wall(wall))],
            reminders: [R.reminder(R.wall(wall))]
        )
        #expect(planner.plan(user, now: due - 1).sendPlan == nil)
        let plan = try #require(planner.plan(user, now: due).sendPlan)
        let day = F.date(String(wall.prefix(10)))
        let expected: Set<NudgeIdentity> = [.message(M.id(1)), .reminder(R.id(1)), .checkIn(day)]
        #expect(plan.nudges.count == 3 && Set(plan.nudges.map(\.identity)) == expected)
    }

    /// The user lands in Berlin when its clocks show 02:10 for the second time. The first 02:30 was 40 minutes ago, so
    /// the message is due at once, and it does not wait for the second one.
    @Test func message_whenTheUserLandsBetweenTheTwoTimes_isDueAtOnce() {
        let wall = "2026-10-25T02:30:00"
        let landing = F.at("2026-10-25T01:10:00Z")
        let created = F.at("2026-10-24T12:00:00Z")
        // 02:30 in London is at 02:30Z.
        #expect(planner.plan(Self.user("Europe/London", wall, created: created), now: landing).sendPlan == nil)
        let landed = Self.user("Europe/Berlin", wall, created: created)
        #expect(planner.plan(landed, now: landing).sendPlan?.nudges.map(\.identity) == [.message(M.id(1))])
    }
}
