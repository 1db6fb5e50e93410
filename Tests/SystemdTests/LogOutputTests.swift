import Glibc
import Testing

@testable import Systemd

@Suite struct LogOutputTests {
    private func record(_ text: String, _ more: [String: String] = [:]) -> LogLine { LogLine(.leaseLost, text, more) }

    @Test func line_whenThereIsNoJournal() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let output = LogOutput(journal: nil, descriptor: ends[1], level: .info, now: { 1_795_255_200 })
        output.write(LogLine(.databaseBusy, "lost; trying again", ["after": "2 s"]))
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        #expect(
            String(decoding: bytes[..<count], as: UTF8.self)
                == "2026-11-21T10:00:00Z warning nudged: lost; trying again  after=\"2 s\" event=database_busy\n"
        )
        #expect(output.lost == 0)
    }

    @Test func line_whenTheReaderIsGoneIsCountedAndNoSignalEndsUs() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let output = LogOutput(journal: nil, descriptor: ends[1], level: .info, now: { 0 })
        output.write(record("lost"))
        output.write(record("lost"))
        #expect(output.lost == 2)
    }

    @Test func line_whenLinesBeforeItWereLostTellsHowMany() throws {
        let full = open("/dev/full", O_WRONLY)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in [full, ends[0]] { close(end) } }
        // One descriptor number, first a full disk and then a pipe that is read.
        let descriptor = dup(full)
        let output = LogOutput(journal: nil, descriptor: descriptor, level: .info, now: { 0 })
        for _ in 0..<3 { output.write(record("lost")) }
        #expect(output.lost == 3)
        dup2(ends[1], descriptor)
        output.write(record("here", ["a": "b"]))
        output.write(record("and again"))
        close(descriptor)
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
        #expect(lines.first?.hasSuffix("here  a=b event=lease_lost lost_lines=3") == true, "\(lines)")
        #expect(lines.last?.hasSuffix("and again  event=lease_lost") == true, "\(lines)")
        #expect(output.lost == 3)
    }

    @Test func line_whenTheReaderDoesNotReadGivesUp() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let output = LogOutput(journal: nil, descriptor: ends[1], level: .info, now: { 0 })
        output.write(record(String(repeating: "x", count: 1 << 20)))
        #expect(output.lost == 1)
    }

    @Test func line_whenTextHasControlCharactersIsOneLine() {
        let line = record("a\nb\u{1B}[2J", ["key": "say \"hi\"\n", "n": ""]).humanLine(at: 0)
        #expect(
            line
                == "1970-01-01T00:00:00Z warning nudged: a\\nb\\u{1b}[2J  event=lease_lost key=\"say \\\"hi\\\"\\n\" n=\"\""
        )
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (1_767_225_599, "2025-12-31T23:59:59Z"),
        (Int64.max, "9999-12-31T23:59:59Z"), (Int64.min, "0001-01-01T00:00:00Z"),
    ]) func timestamp_whenTheInstantIs(seconds: Int64, text: String) { #expect(LogLine.timestamp(seconds) == text) }
}
