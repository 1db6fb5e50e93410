package import Systemd

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
