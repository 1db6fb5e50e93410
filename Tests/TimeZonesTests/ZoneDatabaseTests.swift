import Foundation
import NudgedPreferences
import TestSupport
import Testing

@testable import TimeZones

final class ZoneDatabaseTests {
    private let zones = ZoneDatabase()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "nudged-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder.appending(path: "Test"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A link to itself can be read by nobody, not by root either (ELOOP); it is no proof that there is no file.
    private static func loop(_ folder: URL, _ name: String) throws {
        #expect(symlink((name as NSString).lastPathComponent, folder.appending(path: name).path) == 0)
    }

    @Test(arguments: [
        "", "UTC+3", "EST5EDT", "Mars/Base", "CET", "gmt", "GMT0", "GMT\u{301}", "utc", "Europe", "Europe/",
        "/Europe/Berlin", "Europe//Berlin", "Europe/./Berlin", "Europe/../Europe/Berlin", "../zoneinfo/Europe/Berlin",
        "europe/berlin", "EUROPE/BERLIN", "Europe/Berlin ", " Europe/Berlin", "posix/Europe/Berlin",
        "right/Europe/Berlin", "posix/UTC", "America/Indiana", "zone.tab", "Europe/Berlin\0", "Europe/Berlin\n",
        "Asia/\u{212A}olkata", "Asia/Kolkat\u{430}", "localtime", "UTC\u{301}",
    ]) func zone_whenNameIsInvalid_isNil(name: String) throws {
        // The real names first, so that nothing is found by a likeness in the cache.
        _ = try (zones.zone(named: "Asia/Kolkata"), zones.zone(named: "Europe/Berlin"))
        #expect(try zones.zone(named: name) == nil)
    }

    @Test(arguments: [
        "UTC", "GMT", "UCT", "Universal", "Zulu", "Greenwich", "Europe/Berlin", "America/Argentina/Buenos_Aires",
        "Etc/GMT+5", "America/Port-au-Prince", "Etc/UTC", "US/Pacific",
    ]) func zone_whenNameIsValid_isThere(name: String) throws { #expect(try zones.zone(named: name)?.name == name) }

    @Test func zone_whenFilesChange_isReadAnewAfterReload() throws {
        let zones = ZoneDatabase(directory: folder.path)
        #expect(try zones.zone(named: "Test/Zone") == nil)
        #expect(try zones.zone(named: "UTC")?.offset(at: Instant(seconds: 0)) == 0)
        #expect(try zones.zone(named: "GMT")?.offset(at: Instant(seconds: 0)) == 0, "without a file, too")
        try Data(TZif.file(offsets: [3600])).write(to: folder.appending(path: "Test/Zone"))
        try Data("TZif, not".utf8).write(to: folder.appending(path: "Test/Garbage"))
        #expect(try zones.zone(named: "Test/Zone") == nil, "what is missing is remembered too")
        zones.reload()
        let before = try #require(try zones.zone(named: "Test/Zone"))
        try Data(TZif.file(offsets: [7200])).write(to: folder.appending(path: "Test/Zone"))
        #expect(try zones.zone(named: "Test/Zone")?.offset(at: Instant(seconds: 0)) == 3600)
        zones.reload()
        #expect(try zones.zone(named: "Test/Zone")?.offset(at: Instant(seconds: 0)) == 7200)
        #expect(before.offset(at: Instant(seconds: 0)) == 3600, "a zone is a value")
        #expect(try zones.zone(named: "Test/Garbage") == nil)
        #expect(zones.names == ["Test/Zone"])
    }

    /// Debian 13 and Ubuntu 24.04 without tzdata-legacy: `tzdata.zi` has old names whose files are not there.
    @Test func zone_whenOnlyTheListHasAnOldName_isThere() throws {
        try Data(TZif.file(offsets: [3600])).write(to: folder.appending(path: "Test/Zone"))
        let list = """
            # version 2025b
            Z Test/Zone 1 - CET
            L Test/Zone Test/Old
            L Test/Old Old/Older
            L Old/Circle Old/Round
            L Old/Round Old/Circle
            L Test/Gone Old/Gone
            L ../../etc/passwd Old/Passwd
            L Test/Zone Old
            L Test/Zone posix/Old
            """
        try Data(list.utf8).write(to: folder.appending(path: "tzdata.zi"))
        for isRead in [false, true] {
            let zones = ZoneDatabase(directory: folder.path)
            if isRead { #expect(zones.reload().count == 3) }
            for name in ["Test/Zone", "Test/Old", "Old/Older"] {
                let zone = try #require(try zones.zone(named: name))
                #expect(zone.name == name && zone.offset(at: Instant(seconds: 0)) == 3600)
            }
            for name in ["Old/Circle", "Old/Gone", "Old/Passwd", "Old", "posix/Old", "test/old"] {
                #expect(try zones.zone(named: name) == nil, "\(name)")
            }
            #expect(zones.names == ["Old/Older", "Test/Old", "Test/Zone"])
        }
        // The list is read again with the files.
        let zones = ZoneDatabase(directory: folder.path)
        #expect(try zones.zone(named: "Test/New") == nil)
        try Data("# version 2025c\nL Test/Zone Test/New\n".utf8).write(to: folder.appending(path: "tzdata.zi"))
        zones.reload()
        #expect(try zones.zone(named: "Test/New") != nil && zones.zone(named: "Test/Old") == nil)
        // A list that can't be read now leaves old names open.
        try FileManager.default.removeItem(at: folder.appending(path: "tzdata.zi"))
        try Self.loop(folder, "tzdata.zi")
        #expect(zones.reload().failures.count == 1)
        #expect(try zones.zone(named: "Test/New") != nil)
        #expect(throws: TimeZoneError.self) { try ZoneDatabase(directory: folder.path).zone(named: "Test/New") }
    }

    @Test func zone_whenManyNamesAreWrong_staysRight() throws {
        for number in 0..<10_000 { #expect(try zones.zone(named: "No/Zone\(number)") == nil) }
        #expect(try zones.zone(named: "Europe/Berlin") != nil)
    }

    @Test func database_whenTZDIR_readsThere() throws {
        // The environment is the process's own: set, read and put back within one test.
        let before = getenv("TZDIR").map { String(cString: $0) }
        setenv("TZDIR", "/nonexistent", 1)
        let zones = ZoneDatabase()
        if let before { setenv("TZDIR", before, 1) } else { unsetenv("TZDIR") }
        #expect(zones.directory == "/nonexistent")
        #expect(try zones.zone(named: "Europe/Berlin") == nil)
        #expect(ZoneDatabase(directory: "/elsewhere").directory == "/elsewhere")
    }

    // MARK: What can't be read now

    @Test func zone_whenItCannotBeReadNow_isAskedAnew() throws {
        try Self.loop(folder, "Test/Zone")
        let zones = ZoneDatabase(directory: folder.path)
        let path = folder.appending(path: "Test/Zone").path
        for _ in 0..<2 {
            let error = #expect(throws: TimeZoneError.self) { try zones.zone(named: "Test/Zone") }
            #expect(error?.number == ELOOP && error?.cause == "\(path): Too many levels of symbolic links")
        }
        try FileManager.default.removeItem(atPath: path)
        try Data(TZif.file(offsets: [3600])).write(to: folder.appending(path: "Test/Zone"))
        #expect(try zones.zone(named: "Test/Zone")?.offset(at: Instant(seconds: 0)) == 3600)
        // A folder that can't be read now is not missing either.
        try Self.loop(folder, "Loop")
        #expect(throws: TimeZoneError.self) { try ZoneDatabase(directory: folder.path).zone(named: "Loop/Zone") }
        #expect(try ZoneDatabase(directory: "\(folder.path)/Loop").zone(named: "UTC") != nil, "it needs no file")
    }

    @Test func zone_whenItsFileIsNone_isMissing() throws {
        func path(_ name: String) -> String { folder.appending(path: "Test/\(name)").path }
        #expect(mkfifo(path("Pipe"), 0o600) == 0 && symlink("nowhere", path("Dangling")) == 0)
        #expect(symlink("/dev/full", path("Device")) == 0 && mkdir(path("Folder"), 0o700) == 0)
        try Data("no zone".utf8).write(to: folder.appending(path: "Test/Garbage"))
        try Data().write(to: folder.appending(path: "Test/Empty"))
        try Data(count: (1 << 20) + 1).write(to: folder.appending(path: "Test/Large"))
        let zones = ZoneDatabase(directory: folder.path)
        let long = String(repeating: "x", count: 250)
        for name in [
            "Pipe", "Dangling", "Device", "Folder", "Garbage", "Empty", "Large", "Garbage/Below", "None", long,
        ] { #expect(try zones.zone(named: "Test/\(name)") == nil, "\(name)") }
        let reading = zones.reload()
        #expect(reading.failures.isEmpty && reading.count == 0)
    }

    @Test func reload_whenOneFileCannotBeRead_keepsWhatItWas() throws {
        let (one, other) = (folder.appending(path: "Test/One"), folder.appending(path: "Test/Other"))
        try Data(TZif.file(offsets: [3600])).write(to: one)
        try Data(TZif.file(offsets: [3600])).write(to: other)
        let zones = ZoneDatabase(directory: folder.path)
        #expect(zones.reload().count == 2)
        try FileManager.default.removeItem(at: one)
        try Self.loop(folder, "Test/One")
        try Data(TZif.file(offsets: [7200])).write(to: other)
        let reading = zones.reload()
        #expect(reading.failures.map(\.number) == [ELOOP] && reading.count == 2)
        #expect(try zones.zone(named: "Test/One")?.offset(at: Instant(seconds: 0)) == 3600)
        #expect(try zones.zone(named: "Test/Other")?.offset(at: Instant(seconds: 0)) == 7200)
        try FileManager.default.removeItem(at: one)
        #expect(zones.reload().count == 1)
        #expect(try zones.zone(named: "Test/One") == nil, "what is gone for sure is gone")
    }

    /// In a process of its own, since descriptors are the process's.
    @Test func zone_whenNoDescriptorIsFree_isThereOnceTheDatabaseWasRead() async {
        await #expect(processExitsWith: .success) { try ZoneDatabaseTests.askWithoutDescriptors() }
    }

    private static func askWithoutDescriptors() throws {
        let (read, unread) = (ZoneDatabase(), ZoneDatabase())
        let names = read.names
        #expect(read.reload().failures.isEmpty && names.count > 400)
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var last: Int32 = -1
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { last = descriptor }
        for name in names { #expect(try read.zone(named: name)?.name == name) }
        #expect(try read.zone(named: "UTC") != nil)
        let error = #expect(throws: TimeZoneError.self) { try unread.zone(named: "Europe/Berlin") }
        #expect(error?.number == EMFILE)
        #expect(read.reload().failures.map(\.number) == [EMFILE], "the folder itself")
        for name in names { #expect(try read.zone(named: name)?.name == name, "a reload takes nothing away") }
        close(last)
        #expect(try unread.zone(named: "Europe/Berlin") != nil, "the failure is not remembered")
    }
}

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
    ]) func names_whenNone_areNot(name: String) throws {
        #expect(!ZoneName.isWellFormed(name))
        #expect(try ZoneDatabase().zone(named: name) == nil)
    }
}

@Suite struct ZoneReleaseTests {
    @Test(arguments: [
        ("# version 2025b\n# This zic input", "2025b"), ("2026a\n", "2026a"), ("# version 2025b-dirty\n", "2025b"),
        ("2024aa", "2024aa"),
        ("# tzdb\n", nil), ("", nil), ("# version unknown\n", nil), ("20255\n", nil), ("2025B\n", nil),
    ]) func name_isReadFromTheFirstLine(head: String, expected: String?) {
        #expect(ZoneDatabase.releaseName(in: head) == expected)
    }

    @Test func release_isThatOfTheFolder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let database = ZoneDatabase(directory: folder.path)
        #expect(database.release.name == nil && database.release.modified != nil)
        try folder.write("2019c\n", to: "+VERSION")
        #expect(database.release.name == "2019c")
        try folder.write("# version 2024b\n", to: "tzdata.zi")
        #expect(database.release.name == "2024b" && database.release.year == 2024)
        // This machine's own, as Debian's package says it.
        #expect((ZoneDatabase().release.year ?? 0) >= 2024)
    }
}
