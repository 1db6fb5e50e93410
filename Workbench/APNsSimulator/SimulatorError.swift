/// The simulator can't be created or started.
public struct SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Equatable {
        /// A provider key is not a P-256 key.
        case key
        /// The server can't listen.
        case server
        /// The log file can't be opened.
        case log
        /// A certificate or key can't be made.
        case certificate
    }

    /// The kind of failure.
    public let code: Code
    /// What failed and why.
    public let context: String

    /// The context.
    public var description: String { context }
}
