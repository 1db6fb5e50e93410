import NudgedKit
import Seeded
import TestSupport
import Testing

@testable import TimeZones

/// The app's idea of a zone's name is the daemon's.
struct ZoneNameTests {
    @Test func names_whenOfTheDatabase_areWellFormed() {
        let names = ZoneDatabase().names
        #expect(names.count > 400)
        for name in names { #expect(ZoneName.isWellFormed(name), "\(name)") }
    }

    @Test(arguments: [
        "", "gmt", "GMT0", "GMT/", "utc", "UTC+3", "EST5EDT", "/", "Europe/", "/Paris", "Europe//Paris",
        "posix/Europe/Paris",
        "right/UTC", "Europe/../UTC", "Europe/São_Paulo", "Europe/Paris\u{0}", "Asia/\u{212A}olkata",
        "A/" + String(repeating: "x", count: 254),
    ])
    func names_whenNone_areNot(name: String) {
        #expect(!ZoneName.isWellFormed(name) && !ZoneDatabase.isWellFormed(name))
    }

    @Test(arguments: Seeds.all)
    func names_whenAnything_areCheckedAlike(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let parts = [
            "UTC", "GMT", "Zulu", "posix", "right", "Europe", "a", "_+-9", "", ".", "..", "é", " ", "\u{301}", "x\u{0}",
        ]
        var good = 0
        for _ in 0..<1_500 {
            let name = (0..<random.int(1...4)).map { _ in random.pick(parts) }.joined(separator: "/")
            #expect(ZoneName.isWellFormed(name) == ZoneDatabase.isWellFormed(name), "seed \(seed): \(name)")
            good += ZoneName.isWellFormed(name) ? 1 : 0
        }
        #expect(good > 40, "seed \(seed)")
    }
}
