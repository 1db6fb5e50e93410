import Base
import Glibc
import LocalPostgres
import Systemd
import Testing

@testable import Service

/// What a daemon says to `nudged reload` and `nudged status --health`; the processes meet in `IntegrationTests`.
@Suite struct DaemonBoardTests {
    private static func folder() -> String {
        var template = Array("/tmp/nudged-board-XXXXXX".utf8CString)
        mkdtemp(&template)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        for name in [DaemonBoard.lockName, DaemonBoard.wordName] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    @Test func word_survivesItsWriting() {
        var word = DaemonWord()
        (word.begun, word.done, word.faults, word.movedAt) = (3, 2, ["nudged.yaml:2:3: \"a\"", "b"], 4)
        #expect(DaemonWord(json: word.json) == word)
        #expect(DaemonWord(json: "{}") == nil && DaemonWord(json: "") == nil)
    }

    @Test func board_whenTheFolderCantBeUsed_saysWhichCommandsDontWork() {
        let trouble = DaemonBoard("/nonexistent").trouble
        #expect(
            trouble
                == "/nonexistent/daemon.lock can't be locked (No such file or directory): nudged reload and nudged status "
                + "--health don't find this daemon"
        )
    }

    /// The watchdog tells the board while the loop is not overdue, and no longer.
    @Test func health_whenTheLoopIsOverdue_isBad() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let board = DaemonBoard(folder)
        func movedAt() -> Int64 { DaemonBoard.word(in: folder)?.movedAt ?? 0 }
        let began = movedAt()
        #expect(began > 0, "a daemon that starts is alive")
        // Each instant has its own millisecond. The watchdog's timer may feed it beside the test.
        func next() { while BootTime.milliseconds() <= began { usleep(100) } }
        next()
        let watchdog = Watchdog(Notifier(environment: [:]), board, longestWait: -1)
        watchdog.feed()
        #expect(movedAt() == began)
        watchdog.expect(longestWait: 1 << 40)
        watchdog.feed()
        #expect(movedAt() > began)
    }

    /// Who asks in the daemon's own process would see no lock, so a child holds it.
    @Test func health_whenTheSignIsOld_saysForHowLong() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let path = "\(folder)/\(DaemonBoard.lockName)"
        close(open(path, O_RDWR | O_CREAT, 0o600))
        let holder = try ChildProcess(
            [
                "python3", "-c",
                "import fcntl, sys, time; f = open(sys.argv[1], 'r+'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(600)",
                path,
            ],
            output: .captured
        )
        defer { holder.signal(SIGKILL) }
        #expect(holder.waitForOutput(.seconds(60)) { $0.contains("held") })
        var word = DaemonWord()
        word.movedAt = 1_000_000
        let file = open("\(folder)/\(DaemonBoard.wordName)", O_WRONLY | O_CREAT, 0o600)
        _ = Array(word.json.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        let health = HealthRun(environment: ["RUNTIME_DIRECTORY": folder])
        #expect(try health.run(now: 1_000_000) == holder.id)
        #expect(try health.run(now: 1_030_000) == holder.id)
        let error = LocalDaemonError.hangs(process: holder.id, seconds: 31)
        #expect(throws: error) { try health.run(now: 1_031_000) }
        #expect(error.status == .failure)
    }

    @Test func board_saysWhatWasBegunAndWhatIsOver() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let board = DaemonBoard(folder)
        func word() -> DaemonWord? { DaemonBoard.word(in: folder) }
        #expect(board.trouble == nil)
        #expect(word()?.begun == 0 && word()?.done == 0)
        board.begin()
        #expect(word()?.begun == 1 && word()?.done == 0)
        // Its files may have been read before they changed: who asks now waits for the second.
        #expect(word()?.next == 2)
        board.end(faults: ["wrong"])
        #expect(word()?.done == 1 && word()?.faults == ["wrong"])
        board.begin()
        board.end(faults: [])
        #expect(word()?.done == 2 && word()?.faults == [])
    }

    @Test func reload_whenNobodyRuns_saysSo() async {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        await #expect(throws: LocalDaemonError.noDaemon(folder: folder)) {
            try await ReloadRun(environment: ["RUNTIME_DIRECTORY": folder]).run()
        }
        #expect(throws: LocalDaemonError.noDaemon(folder: folder)) {
            try HealthRun(environment: ["RUNTIME_DIRECTORY": folder]).run()
        }
        // What a daemon left that is gone.
        close(open("\(folder)/\(DaemonBoard.lockName)", O_RDWR | O_CREAT, 0o600))
        await #expect(throws: LocalDaemonError.noDaemon(folder: folder)) {
            try await ReloadRun(environment: ["RUNTIME_DIRECTORY": folder]).run()
        }
    }
}
