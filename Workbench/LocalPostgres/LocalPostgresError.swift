/// A failure of a local process or cluster. For tests and the demo only: the context may have file names and the
/// server's start-up log.
public struct LocalPostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// No PostgreSQL server programs were found.
        case notInstalled
        /// A file or folder could not be made.
        case fileSystem
        /// A program could not be started.
        case spawnFailed
        /// A program failed, or the server refused a statement.
        case programFailed
        /// A program did not end in time, or the server did not start in time.
        case timedOut
        /// The cluster has been stopped.
        case stopped
    }

    /// The kind of failure.
    public var code: Code
    /// What was done, and what the program said.
    public var context: String

    init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    /// The code and the context, with a program's output perhaps several lines.
    public var description: String { "\(code): \(context)" }
}
