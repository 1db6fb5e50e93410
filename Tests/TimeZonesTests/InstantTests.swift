import TestSupport
import Testing
import TimeZones

struct InstantTests {
    /// `Tests/Reference/instants.txt` says how texts are read.
    @Test func texts_areReadAsWritten() throws {
        let lines = try Checkout.reference("instants")
        #expect(lines.count == 52)
        for line in lines {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            let word = parts[0].prefix { $0 != " " }
            let text = String(parts[0].dropFirst(word.count + 1))
            switch word {
            case "instant": #expect(Instant(rfc3339: text)?.rfc3339 == text, "\(line)")
            case "no-instant": #expect(Instant(rfc3339: text) == nil, "\(line)")
            case "header": #expect(Instant(httpDate: text)?.rfc3339 == parts[1], "\(line)")
            case "no-header": #expect(Instant(httpDate: text) == nil, "\(line)")
            case "wall": #expect(LocalDateTime(iso: text)?.iso == text, "\(line)")
            case "no-wall": #expect(LocalDateTime(iso: text) == nil, "\(line)")
            default: Issue.record("\(line)")
            }
        }
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

struct LocalDateTimeTests {
    /// A second outside of the day is the nearest inside.
    @Test func order_isThatOfDateThenTime() {
        let seconds = [-1, 86_400].map { LocalDateTime(LocalDate(days: 0), secondOfDay: $0).secondOfDay }
        #expect(seconds == [0, 86_399])
        let early = LocalDateTime(LocalDate(days: 0), secondOfDay: 86_399)
        let late = LocalDateTime(LocalDate(days: 1), secondOfDay: 0)
        #expect(early < late && !(late < early) && late < LocalDateTime(LocalDate(days: 1), secondOfDay: 1))
    }
}
