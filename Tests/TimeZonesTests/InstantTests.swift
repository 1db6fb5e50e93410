import Testing
import TimeZones

struct InstantTests {
    @Test(arguments: [
        "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2024-02-29T12:34:56Z",
        "9999-12-31T23:59:59Z",
    ])
    func instant_whenWritten_readsBack(text: String) {
        #expect(Instant(rfc3339: text)?.rfc3339 == text)
    }

    @Test(arguments: [
        "", "2026-05-07", "2026-05-07T04:38:44", "2026-05-07t04:38:44Z", "2026-05-07T04:38:44z",
        "2026-05-07T04:38:44.0Z", "2026-05-07T04:38:44+00:00",
        "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z", "0000-01-01T00:00:00Z", "2026-1-01T00:00:000Z", "+026-01-01T00:00:00Z",
        "2026-01-01 00:00:00Z", "２026-01-01T00:00Z",
    ])
    func instant_whenNotRFC3339UTC_isNil(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test func date_whenEveryDayOfTheCalendar_readsBack() throws {
        let first = try #require(LocalDate(iso: "0001-01-01"))
        let last = try #require(LocalDate(iso: "9999-12-31"))
        #expect((first.days, last.days) == (-719_162, 2_932_896))
        #expect((first.isoWeekday, last.isoWeekday) == (1, 5))
        for days in stride(from: first.days, through: last.days, by: 17) {
            let date = LocalDate(days: days)
            #expect(LocalDate(year: date.year, month: date.month, day: date.day) == date)
        }
        for text in ["2026-02-29", "1900-02-29", "2026-04-31", "2026-4-01", "2026-04-1a", "0000-01-01"] {
            #expect(LocalDate(iso: text) == nil)
        }
        #expect(LocalDate(iso: "2000-02-29")?.iso == "2000-02-29")
    }
}
