/// The exit statuses of `nudged`'s commands, with the numbers of sysexits(3). Scripts and systemd's
/// `RestartPreventExitStatus=` depend on them.
public enum ExitStatus: Int32, Sendable {
    case success = 0
    /// What the command checks does not work.
    case failure = 1
    /// The command line was wrong.
    case usage = 64
    /// The command refuses its input.
    case dataError = 65
    /// There is no data about the requested user.
    case noUser = 67
    /// A service that the command needs doesn't answer.
    case unavailable = 69
    /// An internal error.
    case software = 70
    /// The command may work later.
    case temporary = 75
    /// A permission is missing, or other users can read a secret.
    case permission = 77
    case configuration = 78
    /// Ended by Ctrl-C or SIGTERM before the work was done. The shell's number for SIGINT (128 + 2), used for both.
    case interrupted = 130
}
