package import Systemd

/// Why the configuration can't be used: all problems, those with a place in the file first.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// Errors and warnings.
    package let problems: [ConfigurationProblem]

    /// 77 if only permissions are wrong, else 78.
    package var exitStatus: ExitStatus {
        problems.contains { $0.severity == .error } ? .configuration : .permission
    }

    /// One line for each problem.
    package var description: String {
        problems.map { "\($0.severity == .warning ? "warning" : "error"): \($0)" }.joined(separator: "\n")
    }
}
