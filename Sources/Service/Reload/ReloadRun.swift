import Glibc
import Systemd

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
            guard try daemon(orEnded: process) == process else { throw .ended(process: process) }
            try? await Task.sleep(for: .milliseconds(20))
        }
        throw .noAnswer(process: process)
    }

    private func daemon(orEnded process: Int32) throws(ReloadError) -> Int32 {
        do throws(ReloadError) {
            return try daemon()
        } catch .noDaemon {
            throw .ended(process: process)
        }
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
