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
    ]) func instant_whenItIsNone(text: String) {
        #expect(InstantText.parse(text) == nil)
    }

    @Test func local_whenInAZone_saysItsOffset() throws {
        let instant = PlannerFixture.at("2026-11-21T12:00:00Z")
        let kolkata = try #require(try PlannerFixture.zones.zone(named: "Asia/Kolkata"))
        let newYork = try #require(try PlannerFixture.zones.zone(named: "America/New_York"))
        #expect(InstantText.local(instant, kolkata) == "2026-11-21 17:30:00 +05:30")
        #expect(InstantText.local(instant, newYork) == "2026-11-21 07:00:00 -05:00")
        #expect(InstantText.local(instant, nil) == "2026-11-21 12:00:00 UTC")
        #expect(InstantText.offset(-1772) == "-00:29:32")
    }
}
