import Systemd

/// Why the demo could not run its day to the end.
struct DemoError: Error, Sendable, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        /// Ctrl-C, SIGTERM, or nobody reads the output any more.
        case interrupted
        /// A private PostgreSQL could not be made or does not answer.
        case database
        /// The simulated Apple could not be made, or nothing reaches it.
        case apple
        /// Something that has to be installed is not.
        case missing
        /// The daemon's own parts refused what the demo gave them.
        case daemon
    }

    let code: Code
    /// What happened, and the mend where there is one.
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
