import Foundation
import Testing

@testable import TimeZones

@Suite struct ZoneReleaseTests {
    @Test(arguments: [
        ("# version 2025b\n# This zic input", "2025b"), ("2026a\n", "2026a"), ("# version 2025b-dirty\n", "2025b"),
        ("2024aa", "2024aa"),
        ("# tzdb\n", nil), ("", nil), ("# version unknown\n", nil), ("20255\n", nil), ("2025B\n", nil),
    ])
    func name_isReadFromTheFirstLine(head: String, expected: String?) {
        #expect(ZoneDatabase.releaseName(in: head) == expected)
    }

    @Test func release_isThatOfTheFolder() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "nudged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = ZoneDatabase(directory: folder.path)
        #expect(database.release.name == nil && database.release.modified != nil)
        try Data("2019c\n".utf8).write(to: folder.appending(path: "+VERSION"))
        #expect(database.release.name == "2019c")
        try Data("# version 2024b\n".utf8).write(to: folder.appending(path: "tzdata.zi"))
        #expect(database.release.name == "2024b" && database.release.year == 2024)
    }

    /// This machine's own, as Debian's package says it.
    @Test func release_whenItIsTheSystems_hasAYear() {
        #expect((ZoneDatabase().release.year ?? 0) >= 2024)
    }
}
