package import Systemd

/// Why the configuration can't be used: all its faults, in the order of the file.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// Errors and warnings.
    package let problems: [ConfigurationProblem]

    /// 77 where nothing but rights is wrong, else 78.
    package var exitStatus: ExitStatus {
        problems.contains { $0.severity == .error } ? .configuration : .permission
    }

    /// A line for each.
    package var description: String {
        problems.map { "\($0.severity == .warning ? "warning" : "error"): \($0)" }.joined(separator: "\n")
    }
}
