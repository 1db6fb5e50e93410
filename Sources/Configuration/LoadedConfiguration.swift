/// A valid configuration, and where its values came from.
package struct LoadedConfiguration: Sendable {
    /// What the daemon works by.
    package let configuration: Configuration
    /// The file that was read; nil where there was none.
    package let path: String?
    /// What is probably a mistake.
    package let warnings: [ConfigurationProblem]
    /// For `config --show`.
    package let rows: [ConfigurationRow]
}
