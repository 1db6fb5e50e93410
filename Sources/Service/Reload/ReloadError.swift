package import Systemd

/// Why a reload could not be asked for, or what is wrong with the new configuration.
package enum ReloadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No daemon holds the lock in that folder.
    case noDaemon(folder: String)
    /// The folder is not for us to read.
    case mayNot(folder: String)
    /// It was signalled and has not answered within the time.
    case noAnswer(process: Int32)
    /// It ended instead.
    case ended(process: Int32)
    /// The new configuration is bad; the old one stays in force.
    case refused([String])

    /// In words, with the mend.
    package var description: String {
        switch self {
        case .noDaemon(let folder):
            "no nudged runs here: none holds \(folder)/\(ReloadBoard.lockName) (RUNTIME_DIRECTORY names another folder)"
        case .mayNot(let folder): "\(folder) can't be read: run it as root, or systemctl reload nudged"
        case .noAnswer(let process):
            "process \(process) has not answered; what it is doing stands in journalctl -u nudged"
        case .ended(let process): "process \(process) has ended before it answered"
        case .refused(let faults):
            faults.joined(separator: "\n") + "\nthe old configuration stays in force"
        }
    }

    /// How the command ends.
    package var status: ExitStatus {
        switch self {
        case .noDaemon, .ended: .unavailable
        case .mayNot: .permission
        case .noAnswer: .temporary
        case .refused: .configuration
        }
    }
}
