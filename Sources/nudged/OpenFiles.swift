import ArgumentParser
import Glibc
import Systemd

/// The descriptors that the daemon needs: three for PostgreSQL, two a connection to Apple, its timers and signals, and what libraries open meanwhile.
enum OpenFiles {
    private static let needed: rlim_t = 64

    /// Raises the soft limit to the hard one. libdispatch ends the process where it can't open a timer, so too few are refused at the start.
    static func raise() throws {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        // What a parent left open is not ours to use. Ours close on exec, so what came through one does not.
        let inherited = rlim_t((3..<Int32(min(limit.rlim_max, 1024))).count { fcntl($0, F_GETFD) == 0 })
        guard limit.rlim_max < needed + inherited else { return }
        let words = inherited > 0 ? ", \(inherited) of them are inherited open" : ""
        Output.error(
            "at most \(limit.rlim_max) files may be open here\(words), \(needed) are needed: raise LimitNOFILE (ulimit -n)"
        )
        throw ExitCode(ExitStatus.configuration.rawValue)
    }
}
