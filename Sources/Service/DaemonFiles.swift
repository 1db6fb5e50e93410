import Base
import Glibc
import JSON
package import Systemd

/// Tells `nudged reload` and `nudged status --health` which daemon runs here, the result of its last reload, and that it
/// sweeps, with two files in the service's runtime directory.
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
    private static let standardFolder = "/run/nudged"

    /// The folder that systemd or the container's image names. nil: there is none.
    package static func path(_ environment: [String: String]) -> String? {
        // systemd separates several folders with colons (systemd.exec(5)).
        environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    /// The folder in which commands look for a daemon.
    static func folder(_ environment: [String: String]) -> String { path(environment) ?? standardFolder }

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

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// A reload begins: the configuration is read after this.
    func begin() { change { $0.begun += 1 } }

    func end(faults: [String]) {
        change {
            $0.done = $0.begun
            $0.faults = faults
        }
    }

    /// The sweep loop is not overdue.
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
        let bytes = Array(state.json.utf8)
        let written = Glibc.write(file, bytes, bytes.count)
        close(file)
        if written == bytes.count { rename(path + ".new", path) }
    }

    static let lockName = "daemon.lock"
    static let stateName = "daemon.json"

    private static var wholeFile: flock {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        return whole
    }
}

// MARK: - Reading
extension DaemonFiles {
    /// The id of the process that holds the lock in the folder.
    static func daemon(in folder: String) throws(LocalDaemonError) -> Int32 {
        let file = open(folder + "/" + lockName, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw errno == ENOENT ? .noDaemon(folder: folder) : .mayNot(folder: folder) }
        defer { close(file) }
        var lock = wholeFile
        guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 else {
            throw .noDaemon(folder: folder)
        }
        return lock.l_pid
    }

    static func state(in folder: String) -> DaemonFile? {
        let text = try? Credentials.readText(folder + "/" + stateName, limit: 1 << 20)
        return text.flatMap(DaemonFile.init(json:))
    }
}

/// What a daemon says about itself: the file `daemon.json` in its runtime directory.
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

    init() {}

    var json: String {
        JSONWriter.text { json in
            json.put("begun", begun)
            json.put("done", done)
            json.list("faults", faults) { $1.string($0) }
            json.put("moved_at", movedAt)
        }
    }

    /// nil: it is not such an object.
    init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), let begun = json["begun"]?.integer,
            let done = json["done"]?.integer, let movedAt = json["moved_at"]?.integer,
            case .array(let faults)? = json["faults"]
        else { return nil }
        self.begun = Int(begun)
        self.done = Int(done)
        self.faults = faults.compactMap { if case .string(let fault) = $0 { fault } else { nil } }
        self.movedAt = movedAt
    }
}

/// Why a command can't reach the daemon that runs here, or what that daemon says.
package enum LocalDaemonError: Error, Sendable, Equatable, CustomStringConvertible {
    case noDaemon(folder: String)
    /// The folder can't be read with these rights.
    case mayNot(folder: String)
    /// The daemon got the signal and did not answer in time.
    case noAnswer(process: Int32)
    /// The daemon ended instead.
    case ended(process: Int32)
    /// The new configuration is wrong. The old one stays in force.
    case refused([String])
    /// The sweep loop is overdue, or the process does not run.
    case hangs(process: Int32, seconds: Int64)

    package var description: String {
        switch self {
        case .noDaemon(let folder):
            "no nudged runs here: no process holds \(folder)/\(DaemonFiles.lockName); "
                + "start nudged, or set RUNTIME_DIRECTORY to the daemon's folder"
        case .mayNot(let folder): "\(folder) can't be read: run this command as root or as nudged's user"
        case .noAnswer(let process):
            "process \(process) has not answered; journalctl -u nudged shows what it is doing"
        case .ended(let process): "process \(process) ended before it answered; see journalctl -u nudged"
        case .refused(let faults):
            faults.joined(separator: "\n") + "\nthe old configuration stays in force"
        case .hangs(let process, let seconds):
            "process \(process) hangs: its sweeps have made no progress for \(seconds) s; restart nudged"
        }
    }

    package var status: ExitStatus {
        switch self {
        case .noDaemon, .ended: .unavailable
        case .mayNot: .permission
        case .noAnswer: .temporary
        case .refused: .configuration
        case .hangs: .failure
        }
    }
}
