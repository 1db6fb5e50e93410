import Glibc
import Testing

@testable import Systemd

@Suite struct ProgramCodeTests {
    /// Other tests run beside this one and map their pages again: half of it is asked for and not all, and once.
    @Test(arguments: [true, false]) func code_whenDropped_leavesTheMemoryAndRunsOn(isProgram: Bool) throws {
        let before = try residentCode(isProgram)
        var after = before
        for _ in 0..<10 where after >= before / 2 {
            ThisProcess.dropUnusedCode()
            after = try residentCode(isProgram)
        }
        #expect(after < before / 2, "\(before) kB of code before, \(after) kB after")
    }

    /// The kB of the program's code or its libraries' that are in memory, by the kernel's list of mappings
    /// (proc_pid_smaps(5)).
    private func residentCode(_ isProgram: Bool) throws -> Int {
        let file = try #require(fopen("/proc/self/smaps", "r"))
        defer { fclose(file) }
        let path = try #require(realpath("/proc/self/exe", nil))
        defer { free(path) }
        let program = String(cString: path)
        var line = [CChar](repeating: 0, count: 4096)
        var isCode = false
        var kilobytes = 0
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if words.count > 4, words[0].contains("-") {
                isCode = words[1] == "r-xp" && words[words.count - 1].hasPrefix("/")
                isCode = isCode && (words.last == Substring(program)) == isProgram
            }
            if isCode, words.first == "Rss:", words.count > 1, let rss = Int(words[1]) { kilobytes += rss }
        }
        return kilobytes
    }
}
