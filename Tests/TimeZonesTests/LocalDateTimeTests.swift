import Testing
import TimeZones

struct LocalDateTimeTests {
    @Test(arguments: ["2026-11-20T09:30:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59", "1969-12-31T23:59:59"])
    func iso_whenWrittenAgain_isEqual(text: String) {
        #expect(LocalDateTime(iso: text)?.iso == text)
    }

    @Test(arguments: [
        "2026-11-20 09:30:00", "2026-11-20T09:30", "2026-11-20T24:00:00", "2026-02-30T09:00:00", "2026-11-20T09:30:00Z",
        "",
        "2026-11-20T09:30:60", "0000-01-01T00:00:00",
    ])
    func iso_whenItIsNone_isNil(text: String) {
        #expect(LocalDateTime(iso: text) == nil)
    }

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
