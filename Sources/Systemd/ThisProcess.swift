import CLinux

// glibc declares `environ` as a global variable, which Swift 6 refuses to read. `current()` says why the read is safe.
@preconcurrency import Glibc

package enum ProcessEnvironment {
    /// A copy of all variables. Of two equal names the first one counts, as for getenv(3). Invalid UTF-8 is repaired.
    /// Call it once, before other threads run. `nudged` never calls setenv(3), so `environ` doesn't change meanwhile.
    package static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "="), equals > pair.startIndex {
                let name = String(pair[..<equals])
                if variables[name] == nil { variables[name] = String(pair[pair.index(after: equals)...]) }
            }
            entry += 1
        }
        return variables
    }
}

package enum ThisProcess {
    /// Lets no other process of this user read the memory (ptrace(2), /proc/PID/mem), and forbids core dumps. Call this
    /// before secrets are read. Root can still read everything.
    package static func hideMemory() { _ = nudged_forbid_dumps() }

    /// Frees the code that only the start needed, of the program and its libraries: some megabytes of option parsing,
    /// configuration and connecting. It would stay resident until the kernel needs memory. The other code is mapped
    /// again at its next use, from the kernel's cache, within microseconds.
    package static func dropUnusedCode() { nudged_drop_code() }
}

/// The exit statuses of `nudged`'s commands, with the numbers of sysexits(3). Scripts and systemd's
/// `RestartPreventExitStatus=` depend on them.
package enum ExitStatus: Int32, Sendable {
    case success = 0
    case failure = 1
    case usage = 64
    case dataError = 65
    case noUser = 67
    case unavailable = 69
    case software = 70
    case ioError = 74
    case temporary = 75
    case permission = 77
    case configuration = 78
    /// Ended by Ctrl-C or SIGTERM before the work was done. The shell's number for SIGINT (128 + 2), used for both.
    case interrupted = 130
}
