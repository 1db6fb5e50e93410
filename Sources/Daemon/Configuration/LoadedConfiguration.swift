/// A valid configuration, and where its values came from.
public struct LoadedConfiguration: Sendable {
    /// What the daemon works by.
    public let configuration: Configuration
    /// The file that was read; nil where there was none.
    public let path: String?
    /// What is probably a mistake.
    public let warnings: [ConfigurationProblem]
    /// For `config --show`.
    public let rows: [ConfigurationRow]
}
