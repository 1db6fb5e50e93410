/// How a command of `nudged` ends, by the numbers of sysexits(3): what scripts and systemd's `RestartPreventExitStatus=` build on.
public enum ExitStatus: Int32, Sendable {
    /// It did what was asked.
    case success = 0
    /// The command line was wrong.
    case usage = 64
    /// What it was given is refused.
    case dataError = 65
    /// There is nothing of the user that was asked for.
    case noUser = 67
    /// A service that it needs doesn't answer.
    case unavailable = 69
    /// It found itself wrong.
    case software = 70
    /// It may work later.
    case temporary = 75
    /// A right is missing, or a secret is open to others.
    case permission = 77
    /// The configuration can't be used.
    case configuration = 78
    /// Ended by Ctrl-C or SIGTERM before it was done; the shell's number for SIGINT (128 + 2), also for SIGTERM.
    case interrupted = 130
}
