import Base
import Glibc
import LocalPostgres
import Systemd
import Testing

@testable import Service

/// What a daemon says to `nudged reload` and `nudged status --health`; the processes meet in `IntegrationTests`.
@Suite struct DaemonFilesTests {
    private static func folder() -> String {
        var template = Array("/tmp/nudged-files-XXXXXX".utf8CString)
        mkdtemp(&template)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        // A watchdog's last write may come between the two.
        repeat {
            for name in [DaemonFiles.lockName, DaemonFiles.stateName] { unlink("\(folder)/\(name)") }
        } while rmdir(folder) != 0 && errno == ENOTEMPTY
    }

    @Test func word_survivesItsWriting() {
        var state = DaemonFile()
        (state.begun, state.done, state.faults, state.movedAt) = (3, 2, ["nudged.yaml:2:3: \"a\"", "b"], 4)
        #expect(DaemonFile(json: state.json) == state)
        #expect(DaemonFile(json: "{}") == nil && DaemonFile(json: "") == nil)
    }

    @Test func files_whenTheFolderCantBeUsed_saysWhichCommandsDontWork() {
        let warning = DaemonFiles("/nonexistent").warning
        #expect(
            warning
                == "/nonexistent/daemon.lock can't be locked (No such file or directory): nudged reload and nudged status "
                + "--health don't find this daemon; let nudged's user write to /nonexistent (in a container, mount a tmpfs there)"
        )
    }

    /// The watchdog tells the files while the loop is not overdue, and no longer.
    @Test func health_whenTheLoopIsOverdue_isBad() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let files = DaemonFiles(folder)
        func movedAt() -> Int64 { LocalDaemon(environment: ["RUNTIME_DIRECTORY": folder]).state?.movedAt ?? 0 }
        let began = movedAt()
        #expect(began > 0, "a daemon that starts is alive")
        // Each instant has its own millisecond. The watchdog's timer may feed it beside the test.
        func next() { while BootTime.milliseconds() <= began { usleep(100) } }
        next()
        let watchdog = Watchdog(Notifier(environment: [:]), files, longestWait: -1)
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
        let path = "\(folder)/\(DaemonFiles.lockName)"
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
        var state = DaemonFile()
        state.movedAt = 1_000_000
        let file = open("\(folder)/\(DaemonFiles.stateName)", O_WRONLY | O_CREAT, 0o600)
        _ = Array(state.json.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        let daemon = LocalDaemon(environment: ["RUNTIME_DIRECTORY": folder])
        #expect(try daemon.health(now: 1_000_000) == holder.id)
        #expect(try daemon.health(now: 1_030_000) == holder.id)
        let what = "process \(holder.id) hangs: its sweeps have made no progress for 31 s; restart nudged"
        #expect(throws: CommandFailure(what, .failure)) { try daemon.health(now: 1_031_000) }
    }

    @Test func board_saysWhatWasBegunAndWhatIsOver() throws {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let files = DaemonFiles(folder)
        func state() -> DaemonFile? { LocalDaemon(environment: ["RUNTIME_DIRECTORY": folder]).state }
        #expect(files.warning == nil)
        #expect(state()?.begun == 0 && state()?.done == 0)
        files.begin()
        #expect(state()?.begun == 1 && state()?.done == 0)
        // Its files may have been read before they changed: who asks now waits for the second.
        #expect(state()?.next == 2)
        files.end(faults: ["wrong"])
        #expect(state()?.done == 1 && state()?.faults == ["wrong"])
        files.begin()
        files.end(faults: [])
        #expect(state()?.done == 2 && state()?.faults == [])
    }

    @Test func reload_whenNobodyRuns_saysSo() async {
        let folder = Self.folder()
        defer { Self.remove(folder) }
        let what = "no nudged runs here: no process holds \(folder)/\(DaemonFiles.lockName); start nudged, "
        let noDaemon = CommandFailure("\(what)or set RUNTIME_DIRECTORY to the daemon's folder", .unavailable)
        let daemon = LocalDaemon(environment: ["RUNTIME_DIRECTORY": folder])
        await #expect(throws: noDaemon) { try await daemon.reload() }
        #expect(throws: noDaemon) { try daemon.health() }
        // What a daemon left that is gone.
        close(open("\(folder)/\(DaemonFiles.lockName)", O_RDWR | O_CREAT, 0o600))
        await #expect(throws: noDaemon) { try await daemon.reload() }
    }
}
