import TestSupport
import Testing
import TimeZones

@testable import Policy

/// Recurrences in zones, over their transitions.
struct RecurrenceZoneTests {
    private func zone(_ name: String) throws -> Zone { try #require(try Fixture.zones.zone(named: name)) }

    /// So many instants, the first one's included, each asked for after the last.
    private func instants(_ text: String, _ start: String, _ zone: Zone, most: Int) throws -> [String] {
        let (rule, start) = (try #require(Recurrence(parsing: text)), try #require(LocalDateTime(iso: start)))
        var (occurrence, instant) = (Recurrence.Occurrence(number: 1, time: start), zone.resolve(start, .first))
        var found = [instant.rfc3339]
        while found.count < most, let next = rule.next(after: occurrence, start: start, in: zone, later: instant) {
            (occurrence, instant) = next
            found.append(instant.rfc3339)
        }
        return found
    }

    @Test func instants_whenTheTimeLiesInAGap_areThatOfTheTransition() throws {
        let found = try instants("FREQ=DAILY", "2026-03-28T02:30:00", try zone("Europe/Berlin"), most: 3)
        #expect(found == ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"])
    }

    @Test func instants_whenTheTimeComesTwice_areTheFirst() throws {
        let found = try instants("FREQ=DAILY", "2026-10-24T02:30:00", try zone("Europe/Berlin"), most: 3)
        #expect(found == ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
    }

    @Test func instants_whenTheWallTimeStays_followTheOffset() throws {
        let york = try zone("America/New_York")
        let found = try instants("FREQ=MONTHLY;BYDAY=-1SU", "2026-02-22T09:00:00", york, most: 3)
        #expect(found == ["2026-02-22T14:00:00Z", "2026-03-29T13:00:00Z", "2026-04-26T13:00:00Z"])
    }

    /// Samoa had no 30 December 2011: its midnight and the next one's are one instant, which comes once.
    @Test func instants_whenADayIsSkipped_areNeverTheSameTwice() throws {
        let found = try instants("FREQ=DAILY", "2011-12-29T00:00:00", try zone("Pacific/Apia"), most: 4)
        let expected = ["2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z", "2012-01-01T10:00:00Z"]
        #expect(found == expected)
    }

    @Test func instants_whenUntilIsAnInstant_endAtIt() throws {
        let berlin = try zone("Europe/Berlin")
        let start = "2026-11-20T09:00:00"
        #expect(try instants("FREQ=DAILY;UNTIL=20261122T080000Z", start, berlin, most: 9).count == 3)
        #expect(try instants("FREQ=DAILY;UNTIL=20261122T075959Z", start, berlin, most: 9).count == 2)
        // The same rule ends elsewhere at another wall time.
        let york = try zone("America/New_York")
        #expect(try instants("FREQ=DAILY;UNTIL=20261122T080000Z", start, york, most: 9).count == 2)
    }

    @Test func next_whenSomeWereMissed_passesOverThemAndCountsThem() throws {
        let (berlin, start) = (try zone("Europe/Berlin"), try #require(LocalDateTime(iso: "2026-11-02T09:00:00")))
        let first = Recurrence.Occurrence(number: 1, time: start)
        let now = Questions.at("2026-11-20T12:00:00Z")
        let endless = try #require(Recurrence(parsing: "FREQ=WEEKLY"))
        let next = try #require(endless.next(after: first, start: start, in: berlin, later: now))
        #expect(next.occurrence == .init(number: 4, time: try #require(LocalDateTime(iso: "2026-11-23T09:00:00"))))
        #expect(next.instant == Questions.at("2026-11-23T08:00:00Z"))
        let counted = try #require(Recurrence(parsing: "FREQ=WEEKLY;COUNT=4"))
        #expect(counted.next(after: first, start: start, in: berlin, later: now)?.occurrence.number == 4)
        let over = try #require(Recurrence(parsing: "FREQ=WEEKLY;COUNT=3"))
        #expect(over.next(after: first, start: start, in: berlin, later: now) == nil)
    }

    /// Every zone, random rules: later each time, at the wall time, or at the transition that leapt over it.
    @Test(arguments: Seeds.all) func instants_whenRandomRulesAndZones_showTheirWallTimes(seed: UInt64) throws {
        var rules = RandomRules(seed: seed)
        var gaps = 0
        for name in Fixture.zoneNames {
            // Half of them pass every night, in the hours that zones leap over.
            let (text, zone) = (rules.draw.chance(50) ? "FREQ=DAILY" : rules.rule(), try zone(name))
            let rule = try #require(Recurrence(parsing: text))
            let start = LocalDateTime(
                LocalDate(days: Int32(rules.draw.int(15_000...22_000))),
                secondOfDay: rules.draw.int(0...47) * 300
            )
            var (occurrence, instant) = (Recurrence.Occurrence(number: 1, time: start), zone.resolve(start, .first))
            for _ in 0..<400 {
                guard let next = rule.next(after: occurrence, start: start, in: zone, later: instant) else { break }
                #expect(next.instant > instant, "seed \(seed): \(text) in \(name)")
                (occurrence, instant) = next
                let shown = zone.localDateTime(at: instant)
                guard shown != occurrence.time else { continue }
                gaps += 1
                let isLeapt = shown > occurrence.time && zone.localDateTime(at: instant - 1) < occurrence.time
                #expect(isLeapt, "seed \(seed): \(text) in \(name), \(occurrence.time.iso)")
            }
        }
        #expect(gaps > 0, "seed \(seed)")
    }
}
