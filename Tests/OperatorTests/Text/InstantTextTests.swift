import Fixtures
import Testing
import TimeZones

@testable import Operator

@Suite struct InstantTextTests {
    @Test(arguments: [
        ("2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"), ("2026-11-21T13:00:00+01:00", "2026-11-21T12:00:00Z"),
        ("2026-11-21T06:30:00-05:30", "2026-11-21T12:00:00Z"), ("2026-11-22T00:00:00+12:00", "2026-11-21T12:00:00Z"),
    ]) func instant_whenWithAnOffset_isThatInstant(text: String, instant: String) {
        #expect(InstantText.parse(text)?.rfc3339 == instant)
    }

    @Test(arguments: [
        "noon", "2026-11-21", "2026-11-21T13:00:00", "2026-11-21T13:00:00+1:00", "2026-11-21T13:00:00+24:00",
        "2026-11-21T13:00:00+01:60", "2026-11-21T13:00:00 01:00", "2026-13-21T13:00:00+01:00", "",
    ]) func instant_whenItIsNone(text: String) { #expect(InstantText.parse(text) == nil) }

    @Test func local_whenInAZone_saysItsOffset() throws {
        let instant = PlannerFixture.at("2026-11-21T12:00:00Z")
        let kolkata = try #require(try PlannerFixture.zones.zone(named: "Asia/Kolkata"))
        let newYork = try #require(try PlannerFixture.zones.zone(named: "America/New_York"))
        #expect(InstantText.local(instant, kolkata) == "2026-11-21 17:30:00 +05:30")
        #expect(InstantText.local(instant, newYork) == "2026-11-21 07:00:00 -05:00")
        #expect(InstantText.local(instant, nil) == "2026-11-21 12:00:00 UTC")
        #expect(InstantText.offset(-1772) == "-00:29:32")
    }

    @Test(arguments: [
        ("2026-11-21T12:00:00Z", "today at 17:30"), ("2026-11-21T19:00:00Z", "tomorrow at 00:30"),
        ("2026-11-20T12:00:00Z", "yesterday at 17:30"), ("2026-11-27T12:00:00Z", "on Friday 2026-11-27 at 17:30"),
    ]) func day_isSaidInLocalTime(instant: String, text: String) throws {
        let kolkata = try #require(try PlannerFixture.zones.zone(named: "Asia/Kolkata"))
        let now = PlannerFixture.at("2026-11-21T06:00:00Z")
        #expect(InstantText.day(PlannerFixture.at(instant), from: now, kolkata) == text)
    }

    @Test func since_leavesOutToday() {
        let now = PlannerFixture.at("2026-11-21T06:00:00Z")
        let text = [now - 3600, now - 86_400, now - 86_400 * 3].map { InstantText.since($0, from: now, nil) }
        #expect(text == ["05:00", "yesterday at 06:00", "Wednesday 2026-11-18 at 06:00"])
    }
}
