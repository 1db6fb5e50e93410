import Testing
import TimeZones

struct InstantTests {
    @Test(arguments: [
        "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2024-02-29T12:34:56Z",
        "9999-12-31T23:59:59Z",
    ]) func instant_whenWritten_readsBack(text: String) { #expect(Instant(rfc3339: text)?.rfc3339 == text) }

    @Test(arguments: [
        "", "2026-05-07", "2026-05-07T04:38:44", "2026-05-07t04:38:44Z", "2026-05-07T04:38:44z",
        "2026-05-07T04:38:44.0Z", "2026-05-07T04:38:44+00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z", "0000-01-01T00:00:00Z", "2026-1-01T00:00:000Z", "+026-01-01T00:00:00Z",
        "2026-01-01 00:00:00Z", "２026-01-01T00:00Z",
    ]) func instant_whenNotRFC3339UTC_isNil(text: String) { #expect(Instant(rfc3339: text) == nil) }

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

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sat, 01 Jan 2000 00:00:00 GMT", "2000-01-01T00:00:00Z"),
        ("Tue, 29 Feb 2028 23:59:59 GMT", "2028-02-29T23:59:59Z"),
        ("Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z"),
    ]) func instant_whenItIsAnIMFFixdate_isRead(text: String, expected: String) {
        #expect(Instant(httpDate: text) == Instant(rfc3339: expected))
    }

    /// The two old forms of RFC 9110, and what is none.
    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37  GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, 06 Nov 1994 08:61:60 GMT",
    ]) func instant_whenItIsNot_isNil(text: String) { #expect(Instant(httpDate: text) == nil) }
}

struct LocalDateTimeTests {
    @Test(arguments: ["2026-11-20T09:30:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59", "1969-12-31T23:59:59"])
    func iso_whenWrittenAgain_isEqual(text: String) { #expect(LocalDateTime(iso: text)?.iso == text) }

    @Test(arguments: [
        "2026-11-20 09:30:00", "2026-11-20T09:30", "2026-11-20T24:00:00", "2026-02-30T09:00:00", "2026-11-20T09:30:00Z",
        "", "2026-11-20T09:30:60", "0000-01-01T00:00:00",
    ]) func iso_whenItIsNone_isNil(text: String) { #expect(LocalDateTime(iso: text) == nil) }

    @Test func second_whenOutsideOfTheDay_isTheNearestInside() {
        let date = LocalDate(days: 0)
        #expect(LocalDateTime(date, secondOfDay: -1).secondOfDay == 0)
        #expect(LocalDateTime(date, secondOfDay: 86_400).secondOfDay == 86_399)
    }

    @Test func order_isThatOfDateThenTime() {
        let early = LocalDateTime(LocalDate(days: 0), secondOfDay: 86_399)
        let late = LocalDateTime(LocalDate(days: 1), secondOfDay: 0)
        #expect(early < late && !(late < early))
        #expect(late < LocalDateTime(LocalDate(days: 1), secondOfDay: 1))
    }
}
