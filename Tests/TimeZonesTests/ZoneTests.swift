import Seeded
import TestSupport
import Testing
import TimeZones

struct ZoneTests {
    private let zones = ZoneDatabase()

    private func zone(_ name: String) throws -> Zone { try #require(try zones.zone(named: name)) }

    private func at(_ text: String) throws -> Instant { try #require(Instant(rfc3339: text)) }

    private func resolve(_ name: String, _ date: String, _ hour: Int, _ minute: Int, _ which: Zone.Which) throws
        -> String
    {
        let date = try #require(LocalDate(iso: date))
        return try zone(name).resolve(date, secondOfDay: hour * 3600 + minute * 60, which).rfc3339
    }

    @Test func resolve_whenGap_isTheTransition() throws {
        for minute in [0, 1, 30, 59] {
            #expect(try resolve("Europe/Berlin", "2026-03-29", 2, minute, .first) == "2026-03-29T01:00:00Z")
            #expect(try resolve("Europe/Berlin", "2026-03-29", 2, minute, .last) == "2026-03-29T01:00:00Z")
        }
        #expect(try resolve("Europe/Berlin", "2026-03-29", 1, 59, .first) == "2026-03-29T00:59:00Z")
        #expect(try resolve("Europe/Berlin", "2026-03-29", 3, 0, .last) == "2026-03-29T01:00:00Z")
    }

    @Test func resolve_whenOverlap_isFirstOrLast() throws {
        #expect(try resolve("Europe/Berlin", "2026-10-25", 2, 0, .first) == "2026-10-25T00:00:00Z")
        #expect(try resolve("Europe/Berlin", "2026-10-25", 2, 0, .last) == "2026-10-25T01:00:00Z")
        #expect(try resolve("Europe/Berlin", "2026-10-25", 2, 59, .first) == "2026-10-25T00:59:00Z")
        #expect(try resolve("Europe/Berlin", "2026-10-25", 3, 0, .first) == "2026-10-25T02:00:00Z")
        #expect(try resolve("Australia/Lord_Howe", "2026-04-05", 1, 45, .first) == "2026-04-04T14:45:00Z")
        #expect(try resolve("Australia/Lord_Howe", "2026-04-05", 1, 45, .last) == "2026-04-04T15:15:00Z")
    }

    @Test func resolve_whenDayIsSkipped_isTheTransition() throws {
        // Samoa went from 29 to 31 December 2011.
        for hour in [0, 12, 23] {
            #expect(try resolve("Pacific/Apia", "2011-12-30", hour, 0, .first) == "2011-12-30T10:00:00Z")
        }
        #expect(try zone("Pacific/Apia").localDate(at: try at("2011-12-30T10:00:00Z")).iso == "2011-12-31")
    }

    @Test func resolve_whenBeyondTheFile_usesTheFooter() throws {
        #expect(try resolve("Europe/Berlin", "2076-03-29", 2, 30, .first) == "2076-03-29T01:00:00Z")
        #expect(try resolve("Europe/Berlin", "2076-07-01", 10, 0, .first) == "2076-07-01T08:00:00Z")
        // Nuuk's rule has a negative hour: M3.5.0/-1.
        #expect(try zone("America/Nuuk").offset(at: try at("2060-03-28T00:59:59Z")) == -7200)
        #expect(try zone("America/Nuuk").offset(at: try at("2060-03-28T01:00:00Z")) == -3600)
    }

    @Test func localTime_whenInstantsAreExtreme_doesNotTrap() throws {
        for name in ["Europe/Berlin", "UTC", "America/Nuuk"] {
            let zone = try zone(name)
            for seconds in [Int64.min, .min + 1, -1 << 59, Instant.first.seconds, Instant.last.seconds, 1 << 59, .max] {
                let instant = Instant(seconds: seconds)
                let (date, second) = zone.localTime(at: instant)
                #expect((0..<86_400).contains(second))
                _ = (
                    zone.resolve(date, secondOfDay: second, .first), instant.rfc3339, date.iso, instant + .max,
                    instant - .min
                )
            }
            for days in [Int32.min, .max] { _ = zone.resolve(LocalDate(days: days), secondOfDay: .max, .last) }
        }
    }

    @Test(arguments: [
        ("<+03>-3", "2050-01-01T00:00:00Z", 10_800), ("XXX5", "2050-01-01T00:00:00Z", -18_000),
        // Daylight time all year (RFC 9636, section 3.3.1).
        ("EST5EDT,0/0,J365/25", "2050-01-01T04:59:59Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2050-01-01T05:00:00Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2050-07-01T05:00:00Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2052-12-31T23:00:00Z", -14_400),
        // J60 is 1 March in every year; 59 is 29 February in a leap year.
        ("AAA0BBB,J60/0,J300", "2052-02-29T23:59:59Z", 0), ("AAA0BBB,J60/0,J300", "2052-03-01T00:00:00Z", 3600),
        ("AAA0BBB,59/0,300", "2052-02-28T23:59:59Z", 0), ("AAA0BBB,59/0,300", "2052-02-29T00:00:00Z", 3600),
        ("AAA0BBB,59/0,300", "2051-03-01T00:00:00Z", 3600),
        // A week before and after.
        ("AAA0BBB,M1.1.1/-167,M7.1.0", "2050-12-26T00:59:59Z", 0),
        ("AAA0BBB,M1.1.1/-167,M7.1.0", "2050-12-26T01:00:00Z", 3600),
        ("AAA0BBB,M3.1.0,M12.5.0/167", "2051-01-01T00:00:00Z", 0),
        ("AAA0BBB,M3.1.0,M12.5.0/167", "2050-12-31T21:59:59Z", 3600),
        // Winter time that is the exception.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-01-01T00:00:00Z", 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-07-01T00:00:00Z", 3600),
    ]) func offset_whenFooterForm_followsIt(footer: String, text: String, offset: Int) throws {
        let zone = try #require(Zone(name: "Test/Zone", parsing: TZif.file(footer: footer)))
        #expect(zone.offset(at: try at(text)) == offset)
    }

    @Test(arguments: [
        "X5", "XXX", "XXX25", "XXX5YYY", "XXX5YYY,J0,J1", "XXX5YYY,M13.1.0,M1.1.0", "XXX5YYY,M3.6.0,M1.1.0", "<+03",
        "XXX5YYY,M3.2.0/168,M1.1.0", "XXX5 ", "XXX5YYY,366,1", "XXX5:60",
    ]) func zone_whenFooterIsWrong_isAnError(footer: String) {
        #expect(Zone(name: "Test/Zone", parsing: TZif.file(footer: footer)) == nil)
    }

    @Test func zone_whenVersion1_isRead() throws {
        let bytes = TZif.oldFile([(at: 1000, type: 1), (at: 2000, type: 0)], offsets: [3600, -7200])
        let zone = try #require(Zone(name: "Test/Old", parsing: bytes))
        #expect([999, 1000, 1999, 2000].map { zone.offset(at: Instant(seconds: $0)) } == [3600, -7200, -7200, 3600])
    }

    @Test(arguments: Seeds.all) func zone_whenBytesAreGarbage_isAnErrorAndNoCrash(seed: UInt64) throws {
        let good = TZif.file(
            [(at: 1000, type: 1), (at: 2000, type: 0)],
            offsets: [3600, -7200],
            footer: "CET-1CEST,M3.5.0,M10.5.0/3"
        )
        #expect(Zone(name: "Test/Good", parsing: good) != nil)
        for length in 0..<good.count { #expect(Zone(name: "Test/Short", parsing: Array(good[..<length])) == nil) }
        var random = SplitMix64(seed: seed)
        for _ in 0..<8000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
            guard let zone = Zone(name: "Test/Odd", parsing: bytes) else { continue }
            for seconds in [Int64.min, 0, 1500, 1_800_000_000, .max] {
                let (date, second) = zone.localTime(at: Instant(seconds: seconds))
                _ = zone.resolve(date, secondOfDay: second, .last)
            }
        }
        #expect(Zone(name: "Test/Far", parsing: TZif.file(offsets: [93_600])) == nil)
        let descending = TZif.file([(at: 2000, type: 0), (at: 1000, type: 0)])
        #expect(Zone(name: "Test/Down", parsing: descending) == nil)
    }
}
