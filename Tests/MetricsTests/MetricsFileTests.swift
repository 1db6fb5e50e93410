import Glibc
import Testing

@testable import Metrics

@Suite struct MetricsFileTests {
    private let folder: String

    init() {
        var template = Array("/tmp/nudged-metrics-XXXXXX".utf8CString)
        mkdtemp(&template)
        folder = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    private func clear(_ names: String...) {
        for name in names { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    @Test func file_whenWrittenAnew_isReplacedWholeAndReadableByEveryone() throws {
        defer { clear("a.prom") }
        let file = MetricsFile(folder + "/a.prom")
        let before = umask(0o077)
        defer { umask(before) }
        try file.write(Array("first 1\n".utf8))
        // A reader of the old file reads it to its end.
        let reader = try #require(fopen(file.path, "r"))
        defer { fclose(reader) }
        try file.write(Array("second 2\n".utf8))
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(String(decoding: bytes[..<fread(&bytes, 1, bytes.count, reader)], as: UTF8.self) == "first 1\n")
        #expect(Self.read(file.path) == "second 2\n")
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o644)
        #expect(access(file.path + ".new", F_OK) != 0)
        file.remove()
        #expect(Self.read(file.path) == nil)
    }

    @Test func draft_whenOneIsLeftOrIsALink_isReplacedAndNotWrittenThrough() throws {
        defer { clear("a.prom", "other") }
        let file = MetricsFile(folder + "/a.prom")
        #expect(symlink(folder + "/other", file.path + ".new") == 0)
        try file.write(Array("x 1\n".utf8))
        #expect(Self.read(file.path) == "x 1\n")
        #expect(Self.read(folder + "/other") == nil)
    }

    @Test func folder_whenItIsMissing_isAFaultWithTheRemedy() {
        defer { clear() }
        let file = MetricsFile(folder + "/missing/a.prom")
        #expect(throws: MetricsError(.file, file.path, ENOENT)) { try file.write([]) }
        #expect("\(MetricsError(.file, "/a.prom", EROFS))".contains("metrics-file.conf"))
    }

    @Test func target_whenItIsAFolder_leavesNoDraft() {
        mkdir(folder + "/a.prom", 0o700)
        defer {
            rmdir(folder + "/a.prom")
            clear()
        }
        #expect(throws: MetricsError.self) { try MetricsFile(folder + "/a.prom").write([1]) }
        #expect(access(folder + "/a.prom.new", F_OK) != 0)
    }
}
