import NudgedPreferences
import TimeZones
import Testing

struct ZoneNameTests {
    @Test func names_whenOfTheDatabase_areWellFormed() {
        let names = ZoneDatabase().names
        #expect(names.count > 400)
        for name in names { #expect(ZoneName.isWellFormed(name), "\(name)") }
    }

    @Test(arguments: [
        "", "gmt", "GMT0", "GMT/", "utc", "UTC+3", "EST5EDT", "/", "Europe/", "/Paris", "Europe//Paris",
        "posix/Europe/Paris", "right/UTC", "Europe/../UTC", "Europe/São_Paulo", "Europe/Paris\u{0}",
        "Asia/\u{212A}olkata", "A/" + String(repeating: "x", count: 254),
    ])
    func names_whenNone_areNot(name: String) throws {
        #expect(!ZoneName.isWellFormed(name))
        #expect(try ZoneDatabase().zone(named: name) == nil)
    }
}
