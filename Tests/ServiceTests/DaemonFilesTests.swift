import Base
import Glibc
import LocalPostgres
import Systemd
import TestSupport
import Testing

@testable import Service

/// What a daemon says to `nudged reload` and `nudged status --health`; the processes meet in `IntegrationTests`.
@Suite final class DaemonFilesTests: Sendable {
    private let folder: TemporaryFolder
    private let daemon: LocalDaemon

    init() throws {
        folder = try TemporaryFolder()
        daemon = LocalDaemon(environment: ["RUNTIME_DIRECTORY": folder.path])
    }

    deinit {
        // A watchdog's last write may come meanwhile.
        for _ in 0..<100 where access(folder.path, F_OK) == 0 { folder.remove() }
    }

    @Test func word_survivesItsWriting() {
        var state = DaemonFile()
        (state.begun, state.done, state.faults, state.movedAt) = (3, 2, ["nudged.yaml:2:3: \"a\"", "b"], 4)
        #expect(DaemonFile(json: state.json) == state && DaemonFile(json: "{}") == nil && DaemonFile(json: "") == nil)
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
        let files = DaemonFiles(folder.path)
        func movedAt() -> Int64 { daemon.state?.movedAt ?? 0 }
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
        let path = try folder.write("", to: DaemonFiles.lockName)
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
        try folder.write(state.json, to: DaemonFiles.stateName)
        #expect(try daemon.health(now: 1_000_000) == holder.id && daemon.health(now: 1_030_000) == holder.id)
        let what = "process \(holder.id) hangs: its sweeps have made no progress for 31 s; restart nudged"
        #expect(throws: CommandFailure(what, .failure)) { try daemon.health(now: 1_031_000) }
    }

    @Test func board_saysWhatWasBegunAndWhatIsOver() throws {
        let files = DaemonFiles(folder.path)
        func state() -> DaemonFile? { daemon.state }
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

    @Test func reload_whenNobodyRuns_saysSo() async throws {
        let what = "no nudged runs here: no process holds \(folder.path)/\(DaemonFiles.lockName); start nudged, "
        let noDaemon = CommandFailure("\(what)or set RUNTIME_DIRECTORY to the daemon's folder", .unavailable)
        await #expect(throws: noDaemon) { try await daemon.reload() }
        #expect(throws: noDaemon) { try daemon.health() }
        // What a daemon left that is gone.
        try folder.write("", to: DaemonFiles.lockName)
        await #expect(throws: noDaemon) { try await daemon.reload() }
    }
}
