import Glibc
import Testing

@testable import Systemd

@Suite struct ProgramCodeTests {
    /// Other tests run beside this one and map their pages again. So half of the program's code is asked for and not
    /// all, and one library of the many, and once.
    @Test func code_whenDropped_leavesTheMemoryAndRunsOn() throws {
        let program = try #require(realpath("/proc/self/exe", nil))
        defer { free(program) }
        let name = String(cString: program)
        let before = try residentCode()
        var left: Set = [true, false]
        for _ in 0..<10 where !left.isEmpty {
            ThisProcess.dropUnusedCode()
            let after = try residentCode()
            for (file, size) in before where size >= 100 && after[file, default: 0] < size / 2 {
                left.remove(file == name)
            }
        }
        #expect(left.isEmpty, "the code of \(left.contains(true) ? "the program" : "every library") is in memory")
    }

    /// The kB of code that are in memory, by file: the kernel's list of mappings (proc_pid_smaps(5)).
    private func residentCode() throws -> [String: Int] {
        let list = try #require(fopen("/proc/self/smaps", "r"))
        defer { fclose(list) }
        var line = [CChar](repeating: 0, count: 4096)
        var file: String?
        var kilobytes: [String: Int] = [:]
        while fgets(&line, Int32(line.count), list) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if words.count > 4, words[0].contains("-") { file = words[1] == "r-xp" ? words.last.map(String.init) : nil }
            if let file, words.first == "Rss:", words.count > 1, let rss = Int(words[1]) { kilobytes[file] = rss }
        }
        return kilobytes
    }
}
