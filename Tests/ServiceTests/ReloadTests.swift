import Glibc
import Systemd
import Testing

@testable import Service

/// The word between daemon and `nudged reload`; the two processes meet in `IntegrationTests`.
@Suite struct ReloadTests {
    private static func folder() -> String {
        var template = Array("/tmp/nudged-reload-XXXXXX".utf8CString)
        mkdtemp(&template)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        for name in [ReloadBoard.lockName, ReloadBoard.wordName] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    @Test func word_survivesItsWriting() {
        var word = ReloadWord()
        (word.begun, word.done, word.faults) = (3, 2, ["nudged.yaml:2:3: \"a\"", "b"])
        #expect(ReloadWord(json: word.json) == word)
        #expect(ReloadWord(json: "{}") == nil && ReloadWord(json: "") == nil)
    }

    @Test func board_saysWhatWasBegunAndWhatIsOver() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let board = ReloadBoard(folder)
        func word() throws -> ReloadWord? {
            ReloadWord(
                json: try Credentials.readText(
                    "\(folder)/\(ReloadBoard.wordName)",
                    limit: 1 << 20
                )
            )
        }
        #expect(try word() == ReloadWord())
        board.begin()
        #expect(try word()?.begun == 1 && word()?.done == 0)
        // Its files may have been read before they changed: who asks now waits for the second.
        #expect(try word()?.next == 2)
        board.end(faults: ["wrong"])
        #expect(try word()?.done == 1 && word()?.faults == ["wrong"])
        board.begin()
        board.end(faults: [])
        #expect(try word()?.done == 2 && word()?.faults == [])
    }

    @Test func reload_whenNobodyRuns_saysSo() async {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        await #expect(throws: ReloadError.noDaemon(folder: folder)) {
            try await ReloadRun(environment: ["RUNTIME_DIRECTORY": folder]).run()
        }
        // What a daemon left that is gone.
        close(open("\(folder)/\(ReloadBoard.lockName)", O_RDWR | O_CREAT, 0o600))
        await #expect(throws: ReloadError.noDaemon(folder: folder)) {
            try await ReloadRun(environment: ["RUNTIME_DIRECTORY": folder]).run()
        }
    }
}
