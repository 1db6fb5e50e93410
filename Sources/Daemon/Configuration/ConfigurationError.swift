public import Systemd

/// Why the configuration can't be used: all its faults, in the order of the file.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// Errors and warnings.
    public let problems: [ConfigurationProblem]

    /// 77 where nothing but rights is wrong, else 78.
    public var exitStatus: ExitStatus {
        problems.contains { $0.severity == .error } ? .configuration : .permission
    }

    /// A line for each.
    public var description: String {
        problems.map { "\($0.severity == .warning ? "warning" : "error"): \($0)" }.joined(separator: "\n")
    }
}
