import Glibc

/// `nudged reload`: signals the daemon that runs here and waits for its answer.
package struct ReloadRun: Sendable {
    private let folder: String

    /// - Parameter environment: `RUNTIME_DIRECTORY`, which systemd sets for `ExecReload=`. Default: `/run/nudged`.
    package init(environment: [String: String]) {
        folder = DaemonFiles.folder(environment)
    }

    /// Sends SIGHUP and waits.
    ///
    /// - Parameter patience: how long to wait. A reload takes milliseconds if the disk answers.
    /// - Throws: `refused` if the new configuration is wrong, or why no daemon could be asked.
    package func run(patience: Duration = .seconds(20)) async throws(LocalDaemonError) {
        let process = try daemon()
        let wanted = (state ?? DaemonFile()).next
        guard kill(process, SIGHUP) == 0 else { throw .mayNot(folder: folder) }
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if let state, state.done >= wanted {
                guard state.faults.isEmpty else { throw .refused(state.faults) }
                return
            }
            guard (try? daemon()) == process else { throw .ended(process: process) }
            try? await Task.sleep(for: .milliseconds(20))
        }
        throw .noAnswer(process: process)
    }

    /// The id of the daemon that runs here.
    package func daemon() throws(LocalDaemonError) -> Int32 { try DaemonFiles.daemon(in: folder) }

    private var state: DaemonFile? { DaemonFiles.state(in: folder) }
}
