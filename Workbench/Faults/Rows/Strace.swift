import Glibc
import LocalPostgres

/// strace's fault injection.
enum Strace {
    static let path = "/usr/bin/strace"

    /// Why it can't be used here; nil if it can.
    static let obstacle: @Sendable () -> String? = {
        if access(path, X_OK) != 0 { return "strace is not installed (scripts/dependencies)" }
        return geteuid() != 0 ? "only root may trace nudged, which is not dumpable" : nil
    }

    /// The command before the program. With `-D` strace is a grandchild, so the process is the daemon itself. Each
    /// thread counts its own calls.
    ///
    /// - Parameter injection: what follows the call in `-e inject=`.
    static func wrapper(_ call: String, _ injection: String) -> [String] {
        [
            path, "-D", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
            "inject=\(call):\(injection)",
        ]
    }

    /// Makes calls of a running daemon fail until the returned process is ended. Each thread counts from 1.
    static func attach(_ process: ChildProcess, _ call: String, _ injection: String) throws -> ChildProcess {
        try ChildProcess(
            [
                path, "-f", "-qq", "-p", "\(process.id)", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                "inject=\(call):\(injection)",
            ],
            output: .null,
            error: .captured
        )
    }

    /// Few pushes in flight and slow answers, so that the work takes seconds.
    static var scenery: Scenery {
        var scenery = Scenery()
        scenery.answerMilliseconds = 20...120
        scenery.environment = ["APNS_MAX_IN_FLIGHT": "12", "SCHEDULE_BATCH": "30"]
        return scenery
    }
}
