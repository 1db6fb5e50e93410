import Glibc

/// `nudged reload`: signals the daemon that runs here and waits for its answer.
package struct ReloadRun: Sendable {
    private let folder: String

    /// - Parameter environment: `RUNTIME_DIRECTORY`, which systemd sets for `ExecReload=`. Default: `/run/nudged`.
    package init(environment: [String: String]) {
        folder = DaemonBoard.folder(environment)
    }

    /// Sends SIGHUP and waits.
    ///
    /// - Parameter patience: how long to wait. A reload takes milliseconds if the disk answers.
    /// - Throws: `refused` if the new configuration is wrong, or why no daemon could be asked.
    package func run(patience: Duration = .seconds(20)) async throws(LocalDaemonError) {
        let process = try daemon()
        let wanted = (word ?? DaemonWord()).next
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

    /// The id of the daemon that runs here.
    package func daemon() throws(LocalDaemonError) -> Int32 { try DaemonBoard.daemon(in: folder) }

    private var word: DaemonWord? { DaemonBoard.word(in: folder) }
}
