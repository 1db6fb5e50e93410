import TestSupport
import Testing
import TimeZones

@testable import Policy

struct RecurrenceTests {
    private func time(_ text: String) throws -> LocalDateTime { try #require(LocalDateTime(iso: text)) }

    /// The first one and those after it.
    private func times(_ rule: Recurrence, from start: LocalDateTime, most: Int) -> [LocalDateTime] {
        var last = Recurrence.Occurrence(number: 1, time: start)
        var times = [start]
        while times.count < most, let next = rule.next(after: last, start: start) {
            #expect(next.number == last.number + 1)
            times.append(next.time)
            last = next
        }
        return times
    }

    private func start(_ rules: inout RandomRules) -> LocalDateTime {
        let day = LocalDate(days: Int32(rules.draw.int(20_000...25_000)))
        return LocalDateTime(day, secondOfDay: rules.draw.int(0...1439) * 60)
    }

    @Test func occurrences_whenRandomRules_areThoseOfDateutil() throws {
        let rows = try Fixture.table("recurrences")
        #expect(rows.count == 4000)
        for fields in rows {
            let (rule, start) = (try #require(Recurrence(parsing: fields[0])), try time(fields[1]))
            let dates = fields[2].split(separator: " ").map(String.init)
            let isOver = fields[3] == "."
            let found = times(rule, from: start, most: dates.count + 1)
            let foundDates = found.map { String($0.date.iso.filter { $0 != "-" }) }
            #expect(Array(foundDates.prefix(dates.count)) == dates, "\(fields)")
            #expect((found.count == dates.count) == isOver, "\(fields)\n\(foundDates)")
            #expect(found.allSatisfy { $0.secondOfDay == start.secondOfDay })
        }
    }

    @Test(arguments: Seeds.all) func occurrences_whenRandomRules_areThoseOfEachDayByItself(seed: UInt64) throws {
        var rules = RandomRules(seed: seed)
        for _ in 0..<150 {
            let (text, start) = (rules.rule(), start(&rules))
            let rule = try #require(Recurrence(parsing: text))
            let naive = NaiveRecurrence(rule: rule, start: start).times(days: 1500)
            let found = times(rule, from: start, most: naive.count)
            #expect(found == naive, "seed \(seed): \(text) from \(start.iso)")
        }
    }

    /// However late one asks, it is the occurrence that the whole series has next.
    @Test(arguments: Seeds.all) func next_whenAskedInTheMidst_isThatOfTheSeries(seed: UInt64) throws {
        var rules = RandomRules(seed: seed)
        for _ in 0..<300 {
            let (text, start) = (rules.rule(), start(&rules))
            let rule = try #require(Recurrence(parsing: text))
            let series = times(rule, from: start, most: 30)
            let index = rules.draw.int(0...series.count - 1)
            // Nobody is at an occurrence: between two.
            let day = series[index].date + rules.draw.int(0...1)
            let between = LocalDateTime(day, secondOfDay: rules.draw.int(0...86_399))
            guard between >= series[index], index + 1 >= series.count || between < series[index + 1] else { continue }
            let next = rule.next(after: .init(number: index + 1, time: between), start: start)
            if index + 1 < series.count {
                #expect(next?.time == series[index + 1], "seed \(seed): \(text)")
            } else if rule.end != .never, series.count < 30 {
                #expect(next == nil, "seed \(seed): \(text)")
            }
        }
    }

    @Test(arguments: Seeds.all) func parsing_whenAnything_ends(seed: UInt64) {
        var rules = RandomRules(seed: seed)
        let refused = (0..<3000).count { _ in Recurrence(parsing: rules.spoilt()) == nil }
        #expect(refused > 1500, "seed \(seed)")
    }

    @Test(arguments: [
        // Every rule that finds nothing more, or not for very long.
        "FREQ=DAILY;INTERVAL=7;BYDAY=TU", "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30",
        "FREQ=MONTHLY;INTERVAL=12;BYDAY=5MO;BYMONTHDAY=1",
        "FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=8", "FREQ=DAILY;INTERVAL=7;BYMONTHDAY=31;BYDAY=WE",
        "FREQ=DAILY;INTERVAL=9999;BYDAY=MO;BYMONTHDAY=1",
        "FREQ=MONTHLY;INTERVAL=9999", "FREQ=WEEKLY;INTERVAL=9999",
    ]) func next_whenThereIsNoneIn100Years_isNil(text: String) throws {
        let rule = try #require(Recurrence(parsing: text))
        // A Monday in February.
        let start = try time("2027-02-01T09:00:00")
        #expect(rule.next(after: .init(number: 1, time: start), start: start) == nil)
    }

    @Test func next_whenTheCalendarEnds_isNil() throws {
        let start = try time("2027-02-01T09:00:00")
        let last = try time("9999-12-31T09:00:00")
        for text in ["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY"] {
            let rule = try #require(Recurrence(parsing: text))
            #expect(rule.next(after: .init(number: 9, time: last), start: start) == nil)
            let end = LocalDateTime(LocalDate(days: .max), secondOfDay: 0)
            #expect(rule.next(after: .init(number: 9, time: end), start: start) == nil)
        }
    }

    @Test func next_whenTheLastOneLiesBeforeTheStart_isNoEarlierThanTheStart() throws {
        let (start, before) = (try time("2026-11-25T18:00:00"), try time("2026-06-01T09:00:00"))
        let expected = [
            "FREQ=DAILY;INTERVAL=9": "2026-11-25T18:00:00", "FREQ=WEEKLY;BYDAY=MO": "2026-11-30T18:00:00",
            "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=3": "2027-01-03T18:00:00",
        ]
        for (text, next) in expected {
            let rule = try #require(Recurrence(parsing: text))
            #expect(rule.next(after: .init(number: 1, time: before), start: start)?.time.iso == next, "\(text)")
        }
    }

    @Test func start_whenTheRuleLeavesItOut_isTheFirstAllTheSame() throws {
        let wednesday = try time("2026-11-25T18:00:00")
        let rule = try #require(Recurrence(parsing: "FREQ=WEEKLY;BYDAY=MO;COUNT=3"))
        let expected = ["2026-11-25T18:00:00", "2026-11-30T18:00:00", "2026-12-07T18:00:00"]
        #expect(times(rule, from: wednesday, most: 9).map(\.iso) == expected)
    }

    @Test func text_isSaidAsAPersonReadsIt() throws {
        let rows = try Fixture.table("recurrence-texts")
        #expect(rows.count == 17)
        for row in rows { #expect(Recurrence(parsing: row[0])?.text == row[1], "\(row[0])") }
    }

    @Test func parsing_whenTheRuleIsOfTheTable_isARuleOrNil() {
        #expect(TabledRule.good.count == 22 && TabledRule.bad.count == 75)
        for rule in TabledRule.good { #expect(Recurrence(parsing: rule.text) != nil, "\(rule.text)") }
        for rule in TabledRule.bad { #expect(Recurrence(parsing: rule.text) == nil, "\(rule.text)") }
    }
}
