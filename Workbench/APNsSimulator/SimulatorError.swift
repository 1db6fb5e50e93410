/// Why a simulator can't be made or started.
public struct SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Equatable {
        /// A provider key is no P-256 key.
        case key
        /// The server can't listen.
        case server
        /// The log file can't be opened.
        case log
        /// A certificate or key can't be made.
        case certificate
    }

    /// What kind it is.
    public let code: Code
    /// In words.
    public let context: String

    /// The words.
    public var description: String { context }
}
