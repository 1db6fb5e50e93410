import Glibc

/// strace's fault injection.
enum Strace {
    static let path = "/usr/bin/strace"

    /// Why it can't be used here.
    static let obstacle: @Sendable () -> String? = {
        access(path, X_OK) == 0 ? nil : "strace is not installed (scripts/dependencies)"
    }

    /// What stands before the program. `-D`: strace is the program's grandchild, so the process is the daemon itself; counted is per thread.
    ///
    /// - Parameter injection: as of `-e inject=`.
    static func wrapper(_ call: String, _ injection: String) -> [String] {
        [path, "-D", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):\(injection)"]
    }
}
