import ArgumentParser
import Glibc
import Systemd

/// Descriptors 0, 1 and 2 of a process that was started without them.
enum StandardStreams {
    /// Opens /dev/null for each one that is missing. Else the first socket to PostgreSQL or Apple would be number 2,
    /// and log lines would go into it. Opened for reading, so that a write fails and the line is counted as lost.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // open(2) returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}

/// The limit of open files. The daemon needs four for PostgreSQL, two for each connection to Apple, and some for
/// timers, signals and libraries.
enum OpenFiles {
    private static let needed: rlim_t = 64

    /// Raises the soft limit to the hard one. libdispatch aborts the process if it can't open a timer. So a limit that
    /// is too low is refused at the start.
    static func raise() throws {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        // Files that a parent left open can't be used. nudged's own files close on exec, so files that are open here
        // were inherited.
        let inherited = rlim_t((3..<Int32(min(limit.rlim_max, 1024))).count { fcntl($0, F_GETFD) == 0 })
        guard limit.rlim_max < needed + inherited else { return }
        let text = inherited > 0 ? ", of which \(inherited) were inherited open" : ""
        Output.error(
            "the limit of open files is \(limit.rlim_max)\(text); nudged needs \(needed): "
                + "raise LimitNOFILE (ulimit -n)"
        )
        throw ExitCode(ExitStatus.configuration.rawValue)
    }
}
