import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator

/// What a forecast makes of a reminder for everyone.
@Suite struct FutureFanOutsTests {
    typealias F = ReminderFixture

    private let planner = PlannerFixture.planner()

    private func fanOut(_ reminder: PendingReminder) -> DueFanOut {
        DueFanOut(reminder: reminder, timezone: "Europe/Berlin")
    }

    @Test func hours_whenLookedAhead_areThoseThatAreFannedOutInThatTime() throws {
        func hours(_ reminder: PendingReminder, _ hours: Int64) throws -> [PendingReminder.Due] {
            let start = PlannerFixture.at("2026-06-01T00:00:00Z")
            return try FutureFanOuts.hours(
                of: fanOut(reminder),
                planner: planner,
                start: start,
                end: start + hours * 3600
            )
            .map(\.due)
        }
        let instant = F.at("2026-06-01T09:00:00Z")
        #expect(try hours(F.reminder(instant), 9).isEmpty && hours(F.reminder(instant), 10) == [instant])
        let daily = F.reminder(instant, series: F.series("FREQ=DAILY", instant))
        #expect(try hours(daily, 50) == [instant, F.at("2026-06-02T09:00:00Z")])
        let zoned = F.reminder(F.wall("2026-06-01T09:00:00"), timezone: "America/New_York")
        #expect(try hours(zoned, 13).isEmpty && hours(zoned, 14).count == 1)
    }

    /// Told up to this member: of a series the others' next hours are still to come for them.
    @Test func members_whenTheyHaveTheFirst_haveTheLaterOnes() throws {
        let first = F.reminder(F.at("2026-06-01T09:00:00Z"), isOwn: false)
        let later = F.reminder(F.at("2026-06-02T09:00:00Z"), isOwn: false)
        let members = try ["1", "7", "8", "F"].map {
            try #require(UUID(uuidString: "\($0)0000000-0000-4000-8000-000000000000"))
        }
        var fanOuts = FutureFanOuts()
        for member in members { fanOuts.tell([first, later], of: fanOut(first).after(members[1]), to: member) }
        let counts = members.map { fanOuts.reminders[$0]?.count ?? 0 }
        #expect(counts == [1, 1, 2, 2])
        #expect(fanOuts.reminders[members[1]]?.first?.due == later.due)
        fanOuts = FutureFanOuts()
        fanOuts.tell([first], of: fanOut(first).after(members[1]), to: members[0])
        #expect(fanOuts.reminders.isEmpty)
    }

    @Test func users_whenAFanOutTellsThem_areEvaluatedThen() {
        var fanOuts = FutureFanOuts()
        #expect(fanOuts.take(for: [PlannerFixture.user()]).first?.reminders.isEmpty == true)
        let reminder = F.reminder(F.at("2026-06-01T09:00:00Z"), isOwn: false)
        fanOuts.add([reminder], for: PlannerFixture.userID)
        var changes = PlannerFixture.user().values
        changes.dueAt = .max
        let told = fanOuts.take(for: [ClaimedUser(changes)])
        #expect(told.first?.reminders.all == [reminder] && fanOuts.reminders.isEmpty)
        #expect(told.first?.dueAt == PlannerFixture.at("2026-06-01T09:00:00Z").seconds * 1_000_000)
    }
}
