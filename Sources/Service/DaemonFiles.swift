import Base
import Glibc
import JSON
import Systemd

/// Tells `nudged reload` and `nudged status --health` which daemon runs here, the result of its last reload, and that
/// it sweeps, with two files in the service's runtime directory.
///
/// The daemon holds a lock on `daemon.lock`. The kernel releases it when the process ends, so a signal never reaches
/// another process that got the same id. Failures here never stop the daemon.
package final class DaemonFiles: Sendable {
    private let folder: String
    /// -1 if another daemon has the lock: its file must not change.
    private let lock: Int32
    private let lastState = Mutex(DaemonFile())
    /// Why the commands won't find this daemon. Nil: they do.
    package let warning: String?

    /// Made by systemd (`RuntimeDirectory=nudged`).
    fileprivate static let standardFolder = "/run/nudged"

    /// The folder that systemd or the container's image names. nil: there is none.
    package static func path(_ environment: [String: String]) -> String? {
        // systemd separates several folders with colons (systemd.exec(5)).
        environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    /// Takes the lock, and writes that nothing was reloaded yet.
    package init(_ folder: String) {
        self.folder = folder
        let path = folder + "/" + Self.lockName
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var whole = Self.wholeFile
        let isOurs = file >= 0 && fcntl(file, F_SETLK, &whole) == 0
        warning =
            isOurs
            ? nil
            : "\(path) can't be locked (\(String(cString: strerror(errno)))): nudged reload and nudged status --health "
                + "don't find this daemon; let nudged's user write to \(folder) (in a container, mount a tmpfs there)"
        if file >= 0, !isOurs { close(file) }
        lock = isOurs ? file : -1
        noteProgress()
    }

    deinit { if lock >= 0 { close(lock) } }

    /// A reload begins: the configuration is read after this.
    func begin() { change { $0.begun += 1 } }

    func end(faults: [String]) { change { ($0.done, $0.faults) = ($0.begun, faults) } }

    func noteProgress() { change { $0.movedAt = BootTime.milliseconds() } }

    /// Written under the lock, so that a later state is never replaced by an earlier one.
    private func change(_ change: (inout DaemonFile) -> Void) {
        lastState.withLock { state in
            change(&state)
            write(state)
        }
    }

    /// Replaced with a rename, so that a reader never sees half a file.
    private func write(_ state: DaemonFile) {
        guard lock >= 0 else { return }
        let path = folder + "/" + Self.stateName
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let isWhole = writeAll(Array(state.json.utf8), to: file)
        close(file)
        if isWhole { rename(path + ".new", path) }
    }

    static let lockName = "daemon.lock"
    static let stateName = "daemon.json"

    fileprivate static var wholeFile: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }
}

package struct LocalDaemon: Sendable {
    private let folder: String

    /// Three times `Watchdog.recordInterval`.
    private static let longestSilence = Duration.seconds(30)

    /// - Parameter environment: `RUNTIME_DIRECTORY`, which systemd sets for `ExecReload=`. Default: `/run/nudged`.
    package init(environment: [String: String]) { folder = DaemonFiles.path(environment) ?? DaemonFiles.standardFolder }

    package func process() throws(CommandFailure) -> Int32 {
        let file = open("\(folder)/\(DaemonFiles.lockName)", O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw errno == ENOENT ? noDaemon : unreadable }
        defer { close(file) }
        var lock = DaemonFiles.wholeFile
        guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 else { throw noDaemon }
        return lock.l_pid
    }

    var state: DaemonFile? {
        let text = try? Credentials.readText("\(folder)/\(DaemonFiles.stateName)", limit: 1 << 20)
        return text.flatMap(DaemonFile.init(json:))
    }

    /// Throws unless it sweeps. Asks neither database nor Apple, since a restart of the daemon helps against neither.
    /// - Returns: the daemon's process id.
    package func health(now: Int64 = BootTime.milliseconds()) throws(CommandFailure) -> Int32 {
        let process = try process()
        let silence = now - (state?.movedAt ?? 0)
        guard silence <= Self.longestSilence.milliseconds else {
            let what = "process \(process) hangs: its sweeps have made no progress for \(silence / 1000) s"
            throw CommandFailure("\(what); restart nudged", .failure)
        }
        return process
    }

    /// Sends SIGHUP and waits for the answer. A reload takes milliseconds if the disk answers.
    package func reload(patience: Duration = .seconds(20)) async throws(CommandFailure) {
        let process = try process()
        let wanted = (state ?? DaemonFile()).next
        guard kill(process, SIGHUP) == 0 else { throw unreadable }
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if let state, state.done >= wanted {
                if state.faults.isEmpty { return }
                let faults = state.faults + ["the old configuration stays in force"]
                throw CommandFailure(faults.joined(separator: "\n"), .configuration)
            }
            guard (try? self.process()) == process else {
                let what = "process \(process) ended before it answered; see journalctl -u nudged"
                throw CommandFailure(what, .unavailable)
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        let what = "process \(process) has not answered; journalctl -u nudged shows what it is doing"
        throw CommandFailure(what, .temporary)
    }

    private var noDaemon: CommandFailure {
        let what = "no nudged runs here: no process holds \(folder)/\(DaemonFiles.lockName)"
        return CommandFailure("\(what); start nudged, or set RUNTIME_DIRECTORY to the daemon's folder", .unavailable)
    }

    private var unreadable: CommandFailure {
        CommandFailure("\(folder) can't be read: run this command as root or as nudged's user", .permission)
    }
}

struct DaemonFile: Sendable, Equatable {
    /// Reloads that were begun since the daemon's start, and those that are over.
    var begun = 0
    var done = 0
    /// What was wrong with the last reload. Empty: its configuration is in force.
    var faults: [String] = []
    /// Milliseconds of CLOCK_BOOTTIME when the sweep loop was last seen not overdue.
    var movedAt: Int64 = 0

    /// The first reload that is certain to read files as they are now. One that is running may have read them before.
    var next: Int { begun + 1 }

    var json: String { Fields.text(["begun": begun, "done": done, "faults": faults, "moved_at": movedAt]) }
}

extension DaemonFile {
    init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), let begun = json["begun"]?.integer,
            let done = json["done"]?.integer, let movedAt = json["moved_at"]?.integer,
            case .array(let faults)? = json["faults"]
        else { return nil }
        self.init(begun: Int(begun), done: Int(done), faults: faults.compactMap(\.text), movedAt: movedAt)
    }
}
