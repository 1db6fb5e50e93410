import Foundation
import Testing
import TimeZones

struct ZoneDatabaseTests {
    private let zones = ZoneDatabase()

    @Test(arguments: [
        "", "UTC+3", "EST5EDT", "Mars/Base", "CET", "GMT", "utc", "Europe", "Europe/", "/Europe/Berlin",
        "Europe//Berlin", "Europe/./Berlin",
        "Europe/../Europe/Berlin", "../zoneinfo/Europe/Berlin", "europe/berlin", "EUROPE/BERLIN", "Europe/Berlin ",
        " Europe/Berlin",
        "posix/Europe/Berlin", "right/Europe/Berlin", "posix/UTC", "America/Indiana", "zone.tab", "Europe/Berlin\0",
        "Europe/Berlin\n",
        "Asia/\u{212A}olkata", "Asia/Kolkat\u{430}", "localtime", "UTC\u{301}",
    ])
    func zone_whenNameIsInvalid_isNil(name: String) {
        // The real names first, so that nothing is found by a likeness in the cache.
        _ = (zones.zone(named: "Asia/Kolkata"), zones.zone(named: "Europe/Berlin"))
        #expect(zones.zone(named: name) == nil)
    }

    @Test(arguments: [
        "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "America/Port-au-Prince", "Etc/UTC",
        "US/Pacific",
    ])
    func zone_whenNameIsValid_isThere(name: String) {
        #expect(zones.zone(named: name)?.name == name)
    }

    @Test func zone_whenFilesChange_isReadAnewAfterReload() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "nudged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "Test"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let zones = ZoneDatabase(directory: folder.path)
        #expect(zones.zone(named: "Test/Zone") == nil)
        #expect(zones.zone(named: "UTC")?.offset(at: Instant(seconds: 0)) == 0)
        try Data(TZif.file(offsets: [3600])).write(to: folder.appending(path: "Test/Zone"))
        try Data("TZif, not".utf8).write(to: folder.appending(path: "Test/Garbage"))
        #expect(zones.zone(named: "Test/Zone") == nil, "what is missing is remembered too")
        zones.reload()
        let before = try #require(zones.zone(named: "Test/Zone"))
        try Data(TZif.file(offsets: [7200])).write(to: folder.appending(path: "Test/Zone"))
        #expect(zones.zone(named: "Test/Zone")?.offset(at: Instant(seconds: 0)) == 3600)
        zones.reload()
        #expect(zones.zone(named: "Test/Zone")?.offset(at: Instant(seconds: 0)) == 7200)
        #expect(before.offset(at: Instant(seconds: 0)) == 3600, "a zone is a value")
        #expect(zones.zone(named: "Test/Garbage") == nil)
        #expect(zones.names == ["Test/Zone"])
    }

    @Test func zone_whenManyNamesAreWrong_staysRight() {
        for number in 0..<10_000 { #expect(zones.zone(named: "No/Zone\(number)") == nil) }
        #expect(zones.zone(named: "Europe/Berlin") != nil)
    }

    @Test func database_whenTZDIR_readsThere() throws {
        // The environment is the process's own: set, read and put back within one test.
        let before = getenv("TZDIR").map { String(cString: $0) }
        setenv("TZDIR", "/nonexistent", 1)
        let zones = ZoneDatabase()
        if let before { setenv("TZDIR", before, 1) } else { unsetenv("TZDIR") }
        #expect(zones.directory == "/nonexistent")
        #expect(zones.zone(named: "Europe/Berlin") == nil)
        #expect(ZoneDatabase(directory: "/elsewhere").directory == "/elsewhere")
    }
}
