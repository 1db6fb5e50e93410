import Systemd

/// The demo could not run its day to the end.
struct DemoError: Error, Sendable, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        /// Ctrl-C, SIGTERM, or the output can't be written.
        case interrupted
        /// The private PostgreSQL could not be created, or doesn't answer.
        case database
        /// The simulated Apple could not be created, or no push reaches it.
        case apple
        /// Something that the demo needs is not installed.
        case missing
        /// nudged refused the demo's configuration or data.
        case daemon
    }

    let code: Code
    /// What happened, and the fix if there is one.
    let context: String

    init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    var description: String { context }

    var exitStatus: ExitStatus {
        switch code {
        case .interrupted: .interrupted
        case .database, .apple, .missing: .unavailable
        case .daemon: .software
        }
    }
}
