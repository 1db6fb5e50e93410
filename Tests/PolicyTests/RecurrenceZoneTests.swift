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

    /// `Fixtures/recurrence-instants.tsv` has a case, a rule, a start, a zone and the instants; a dot: no more come.
    @Test func instants_areAsWritten() throws {
        let rows = try Fixture.table("recurrence-instants")
        #expect(rows.count == 7)
        for row in rows {
            let wanted = row[4].split(separator: " ").map(String.init)
            let most = wanted.count + (row.count > 5 ? 1 : 0)
            let found = try instants(row[1], row[2], try zone(row[3]), most: most)
            #expect(found == wanted, "\(row[0])")
        }
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
                let shown = zone.localTime(at: instant)
                guard shown != occurrence.time else { continue }
                gaps += 1
                let isLeapt = shown > occurrence.time && zone.localTime(at: instant - 1) < occurrence.time
                #expect(isLeapt, "seed \(seed): \(text) in \(name), \(occurrence.time.iso)")
            }
        }
        #expect(gaps > 0, "seed \(seed)")
    }
}
