import Glibc
package import Systemd

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
        let text = try? Credentials.readText(path, limit: 1 << 20, mayBeWorldReadable: true)
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

    /// The error and the remedy.
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

    /// The command's exit status.
    package var status: ExitStatus {
        switch self {
        case .noDaemon, .ended: .unavailable
        case .mayNot: .permission
        case .noAnswer: .temporary
        case .refused: .configuration
        }
    }
}
