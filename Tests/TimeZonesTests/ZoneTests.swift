import Seeded
import TestSupport
import Testing
import TimeZones

struct ZoneTests {
    private let zones = ZoneDatabase()

    private func zone(_ name: String) throws -> Zone { try #require(try zones.zone(named: name)) }

    private func at(_ text: String) throws -> Instant { try #require(Instant(rfc3339: text)) }

    /// `Tests/Reference/zones.txt` has wall times with their instants, and footers with their offsets.
    @Test func zones_areAsWritten() throws {
        let lines = try Checkout.reference("zones")
        #expect(lines.count == 38)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if words.count == 4 {
                let time = try #require(LocalDateTime(iso: words[1]))
                try #require(["first", "last"].contains(words[2]), "\(line)")
                let which: Zone.Which = words[2] == "first" ? .first : .last
                let instant = try zone(words[0]).resolve(time, which)
                #expect(instant.rfc3339 == words[3], "\(line)")
            } else {
                let zone = try #require(Zone(name: "Test/Zone", parsing: TZif.file(footer: words[0])))
                #expect(try zone.offset(at: at(words[1])) == Int(words[2]), "\(line)")
            }
        }
        #expect(try zone("Pacific/Apia").localDate(at: at("2011-12-30T10:00:00Z")).iso == "2011-12-31")
        // Nuuk's rule has a negative hour: M3.5.0/-1.
        #expect(try zone("America/Nuuk").offset(at: at("2060-03-28T00:59:59Z")) == -7200)
        #expect(try zone("America/Nuuk").offset(at: at("2060-03-28T01:00:00Z")) == -3600)
    }

    @Test func localTime_whenInstantsAreExtreme_doesNotTrap() throws {
        for name in ["Europe/Berlin", "UTC", "America/Nuuk"] {
            let zone = try zone(name)
            for seconds in [Int64.min, .min + 1, -1 << 59, Instant.first.seconds, Instant.last.seconds, 1 << 59, .max] {
                let instant = Instant(seconds: seconds)
                let time = zone.localTime(at: instant)
                #expect((0..<86_400).contains(time.secondOfDay))
                _ = (zone.resolve(time, .first), instant.rfc3339, time.date.iso)
                _ = (instant + .max, instant - .min)
            }
            for days in [Int32.min, .max] { _ = zone.resolve(LocalDate(days: days), secondOfDay: .max, .last) }
        }
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
        let rule = "CET-1CEST,M3.5.0,M10.5.0/3"
        let good = TZif.file([(at: 1000, type: 1), (at: 2000, type: 0)], offsets: [3600, -7200], footer: rule)
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
                _ = zone.resolve(zone.localTime(at: Instant(seconds: seconds)), .last)
            }
        }
        #expect(Zone(name: "Test/Far", parsing: TZif.file(offsets: [93_600])) == nil)
        let descending = TZif.file([(at: 2000, type: 0), (at: 1000, type: 0)])
        #expect(Zone(name: "Test/Down", parsing: descending) == nil)
    }
}
