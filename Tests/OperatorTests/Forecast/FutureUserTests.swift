import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

@testable import Operator

/// What a forecast makes of a user.
@Suite struct FutureUserTests {
    typealias F = ReminderFixture

    @Test func users_whenForecast_haveEachHourOfTheirSeries() {
        let first = F.wall("2026-11-20T15:00:00")
        let reminder = F.reminder(first, series: F.series("FREQ=DAILY;COUNT=3", first))
        let start = PlannerFixture.at("2026-11-20T05:00:00Z")
        let user = PlannerFixture.user(
            history: History(
                checkIns: [
                    CheckIn(at: PlannerFixture.at("2026-11-20T01:00:00Z"), slot: PlannerFixture.date("2026-11-20"))
                ],
                sent: [PlannerFixture.at("2026-11-20T01:00:00Z")]
            ),
            preferences: #"{"timezone":"Asia/Tokyo"}"#,
            reminders: [reminder]
        )
        var tally = ForecastTally(start: start, end: start + 96 * 3600)
        FutureUser(planner: PlannerFixture.planner(), start: start, end: start + 96 * 3600)
            .run(user, into: &tally)
        #expect(tally.hours.enumerated().filter { $1.pushes[.reminder] == 1 }.map(\.offset) == [1, 25, 49])
    }
}
