import APNs
import Fixtures
import Policy
@testable import Core
import TestSupport
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

    /// `Tests/Reference/clock-changes.txt` has zones, wall times and their instants.
    @Test func message_whenClocksChange_isDueOnceAtTheFirstInstant() throws {
        let lines = try Checkout.reference("clock-changes").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.count == 19)
        for line in lines {
            let due = F.at(line[2])
            // It was planned before the clocks changed.
            let user = Self.user(line[0], line[1], created: due - 3 * 86_400)
            let before = planner.plan(user, now: due - 1)
            #expect(before.sendPlan == nil && before.ended.isEmpty && before.rest?.dueAt == due, "\(line)")
            let plan = try #require(planner.plan(user, now: due).sendPlan, "\(line)")
            #expect(plan.nudges.map(\.identity) == [.message(M.id(1))], "\(line)")
            let settled = planner.settle(plan, outcomes: [PushOutcome.accepted], attemptedAt: due, now: due)
            #expect(settled.ended == [M.id(1)], "the second time finds nothing: \(line)")
        }
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
