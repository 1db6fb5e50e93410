import Fixtures
import Policy
import Store
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator
@testable import Planning

/// What a forecast makes of a reminder for everyone.
@Suite struct FutureSpreadsTests {
    typealias F = ReminderFixture

    private let planner = PlannerFixture.planner()

    private func spread(_ reminder: PendingReminder) -> DueSpread {
        DueSpread(reminder: reminder, timezone: "Europe/Berlin")
    }

    @Test func hours_whenLookedAhead_areThoseThatAreSpreadInThatTime() throws {
        func hours(_ reminder: PendingReminder, _ hours: Int64) throws -> [PendingReminder.Due] {
            let start = PlannerFixture.at("2026-06-01T00:00:00Z")
            return try FutureSpreads.hours(
                of: spread(reminder),
                planner: planner,
                start: start,
                end: start + hours * 3600
            )
            .map(\.due)
        }
        let instant = F.at("2026-06-01T09:00:00Z")
        #expect(try hours(F.reminder(instant), 9).isEmpty)
        #expect(try hours(F.reminder(instant), 10) == [instant])
        #expect(
            try hours(F.reminder(instant, series: F.series("FREQ=DAILY", instant)), 50)
                == [instant, F.at("2026-06-02T09:00:00Z")]
        )
        let zoned = F.reminder(F.wall("2026-06-01T09:00:00"), timezone: "America/New_York")
        #expect(try hours(zoned, 13).isEmpty)
        #expect(try hours(zoned, 14).count == 1)
    }

    /// Told up to this member: of a series the others' next hours are still to come for them.
    @Test func members_whenTheyHaveTheFirst_haveTheLaterOnes() throws {
        let first = F.reminder(F.at("2026-06-01T09:00:00Z"), isOwn: false)
        let later = F.reminder(F.at("2026-06-02T09:00:00Z"), isOwn: false)
        let members = try ["1", "7", "8", "F"].map {
            try #require(UUID(uuidString: "\($0)0000000-0000-4000-8000-000000000000"))
        }
        var spreads = FutureSpreads()
        for member in members { spreads.tell([first, later], of: spread(first).after(members[1]), to: member) }
        let counts = members.map { spreads.reminders[$0]?.count ?? 0 }
        #expect(counts == [1, 1, 2, 2])
        #expect(spreads.reminders[members[1]]?.first?.due == later.due)
        spreads = FutureSpreads()
        spreads.tell([first], of: spread(first).after(members[1]), to: members[0])
        #expect(spreads.reminders.isEmpty)
    }

    @Test func users_whenASpreadTellsThem_areAskedThen() {
        var spreads = FutureSpreads()
        #expect(spreads.take(for: [PlannerFixture.user()]).first?.reminders.isEmpty == true)
        let reminder = F.reminder(F.at("2026-06-01T09:00:00Z"), isOwn: false)
        spreads.add([reminder], for: PlannerFixture.userID)
        var changes = PlannerFixture.user().changes
        changes.dueAt = .max
        let told = spreads.take(for: [PlannerFixture.user().with(changes)])
        #expect(told.first?.reminders.all == [reminder] && spreads.reminders.isEmpty)
        #expect(told.first?.dueAt == PlannerFixture.at("2026-06-01T09:00:00Z").seconds * 1_000_000)
    }
}
