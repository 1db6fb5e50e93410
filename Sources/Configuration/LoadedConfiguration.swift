/// A valid configuration with the sources of its values.
package struct LoadedConfiguration: Sendable {
    package let configuration: Configuration
    /// The file that was read. Nil if there was none.
    package let path: String?
    /// Probable mistakes.
    package let warnings: [ConfigurationProblem]
    /// The lines of `config`.
    package let rows: [ConfigurationRow]
}
