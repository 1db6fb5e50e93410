import Glibc
package import Systemd
import JSON
import Synchronization

/// `nudged reload`: signals the daemon that runs here and waits for its answer.
package struct ReloadRun: Sendable {
    private let folder: String

    /// - Parameter environment: `RUNTIME_DIRECTORY`, which systemd sets for `ExecReload=`. Default: `/run/nudged`.
    package init(environment: [String: String]) {
        folder = ReloadBoard.path(environment) ?? ReloadBoard.standardFolder
    }

    /// Sends SIGHUP and waits.
    ///
    /// - Parameter patience: how long to wait. A reload takes milliseconds if the disk answers.
    /// - Throws: `refused` if the new configuration is wrong, or why no daemon could be asked.
    package func run(patience: Duration = .seconds(20)) async throws(ReloadError) {
        let process = try daemon()
        let wanted = (word ?? ReloadWord()).next
        guard kill(process, SIGHUP) == 0 else { throw .mayNot(folder: folder) }
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if let word, word.done >= wanted {
                guard word.faults.isEmpty else { throw .refused(word.faults) }
                return
            }
            guard (try? daemon()) == process else { throw .ended(process: process) }
            try? await Task.sleep(for: .milliseconds(20))
        }
        throw .noAnswer(process: process)
    }

    /// The id of the process that holds the lock: the daemon that runs here.
    package func daemon() throws(ReloadError) -> Int32 {
        let file = open(folder + "/" + ReloadBoard.lockName, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw errno == ENOENT ? .noDaemon(folder: folder) : .mayNot(folder: folder) }
        defer { close(file) }
        var lock = ReloadBoard.wholeFile
        guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 else {
            throw .noDaemon(folder: folder)
        }
        return lock.l_pid
    }

    private var word: ReloadWord? {
        let path = folder + "/" + ReloadBoard.wordName
        let text = try? Credentials.readText(path, limit: 1 << 20)
        return text.flatMap(ReloadWord.init(json:))
    }
}

/// Why a reload failed: no daemon could be asked, or the new configuration is wrong.
package enum ReloadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No daemon holds the lock in that folder.
    case noDaemon(folder: String)
    /// The folder can't be read with these rights.
    case mayNot(folder: String)
    /// The daemon got the signal and did not answer in time.
    case noAnswer(process: Int32)
    /// The daemon ended instead.
    case ended(process: Int32)
    /// The new configuration is wrong. The old one stays in force.
    case refused([String])

    package var description: String {
        switch self {
        case .noDaemon(let folder):
            "no nudged runs here: nobody holds \(folder)/\(ReloadBoard.lockName); "
                + "if it uses another folder, set RUNTIME_DIRECTORY to it"
        case .mayNot(let folder): "\(folder) can't be read: run it as root, or systemctl reload nudged"
        case .noAnswer(let process):
            "process \(process) has not answered; journalctl -u nudged shows what it is doing"
        case .ended(let process): "process \(process) ended before it answered"
        case .refused(let faults):
            faults.joined(separator: "\n") + "\nthe old configuration stays in force"
        }
    }

    package var status: ExitStatus {
        switch self {
        case .noDaemon, .ended: .unavailable
        case .mayNot: .permission
        case .noAnswer: .temporary
        case .refused: .configuration
        }
    }
}

/// Tells `nudged reload` which daemon runs here and the result of its last reload, with two files in the service's
/// runtime directory.
///
/// The daemon holds a lock on `daemon.lock`. The kernel releases it when the process ends, so a signal never reaches
/// another process that got the same id. Failures here never stop the daemon.
package final class ReloadBoard: Sendable {
    private let folder: String
    /// -1 if another daemon has the lock: its file must not change.
    private let lock: Int32
    private let word = Mutex(ReloadWord())

    /// Made by systemd (`RuntimeDirectory=nudged`).
    static let standardFolder = "/run/nudged"

    /// The folder that systemd names. nil: there is none.
    package static func path(_ environment: [String: String]) -> String? {
        // systemd separates several folders with colons (systemd.exec(5)).
        environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    /// Takes the lock, and writes that nothing was reloaded yet.
    package init(_ folder: String) {
        self.folder = folder
        let file = open(folder + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var whole = Self.wholeFile
        let isOurs = file >= 0 && fcntl(file, F_SETLK, &whole) == 0
        if file >= 0, !isOurs { close(file) }
        lock = isOurs ? file : -1
        write(ReloadWord())
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

    private func change(_ change: (inout ReloadWord) -> Void) {
        let changed = word.withLock { word in
            change(&word)
            return word
        }
        write(changed)
    }

    /// Replaced with a rename, so that a reader never sees half a file.
    private func write(_ word: ReloadWord) {
        guard lock >= 0 else { return }
        let path = folder + "/" + Self.wordName
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let bytes = Array(word.json.utf8)
        let written = Glibc.write(file, bytes, bytes.count)
        close(file)
        if written == bytes.count { rename(path + ".new", path) }
    }

    static let lockName = "daemon.lock"
    static let wordName = "reload.json"

    static var wholeFile: flock {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        return whole
    }
}

/// The state of a daemon's reloads: the file `reload.json` in its runtime directory.
struct ReloadWord: Sendable, Equatable {
    /// Reloads that were begun since the daemon's start, and those that are over.
    var begun = 0
    var done = 0
    /// What was wrong with the last reload. Empty: its configuration is in force.
    var faults: [String] = []

    /// The first reload that is certain to read files as they are now. One that is running may have read them before.
    var next: Int { begun + 1 }

    init() {}

    var json: String {
        JSONWriter.text { json in
            json.put("begun", begun)
            json.put("done", done)
            json.list("faults", faults) { $1.string($0) }
        }
    }

    /// nil: it is not such an object.
    init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), let begun = json["begun"]?.integer,
            let done = json["done"]?.integer, case .array(let faults)? = json["faults"]
        else { return nil }
        self.begun = Int(begun)
        self.done = Int(done)
        self.faults = faults.compactMap { if case .string(let fault) = $0 { fault } else { nil } }
    }
}
