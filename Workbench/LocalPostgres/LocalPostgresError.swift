/// What went wrong with a local process or cluster. Made for tests and the demo: the context may hold file names and the
/// server's own start-up log.
public struct LocalPostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// No PostgreSQL server programs were found.
        case notInstalled
        /// A file or folder could not be made.
        case fileSystem
        /// A program could not be started.
        case spawnFailed
        /// A program failed.
        case programFailed
        /// A program didn't end, or the server didn't come up, in time.
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

    /// One line or, where a program spoke, several.
    public var description: String { "\(code): \(context)" }
}
