package import Base
package import Systemd
package import YAML

/// One error or probable mistake in the configuration: where, which key, what, and what to do. It holds no secret.
package struct ConfigurationProblem: Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        /// A permission is missing or a secret is open. The configuration can't be used.
        case permission
        case warning
    }

    package private(set) var severity = Severity.error
    /// Where the value came from. Nil: nowhere, or the file as a whole.
    let source: ValueSource?
    /// The dotted key as it was written. Nil if the whole file is meant.
    package let key: String?
    package let what: String
    package let remedy: String

    package var description: String { "\(found): \(remedy)" }
}

extension ConfigurationProblem {
    /// A file can't be used: the configuration's, one that it names, or a credential.
    init(_ error: SystemdError, at source: ValueSource? = nil, key: String? = nil) {
        let severity: Severity = error.exitStatus == .permission ? .permission : .error
        self.init(severity: severity, source: source, key: key, what: error.problem, remedy: error.remedy)
    }

    package var mark: YAMLMark? { if case .file(_, let mark) = source { mark } else { nil } }

    /// Place, key and what is wrong: `/etc/nudged/nudged.yaml:3:5: apns.teamID: unknown key`.
    package var found: String { [place, key, what].compactMap(\.self).joined(separator: ": ") }

    /// File, line and column, or the variable. Nil if there is none, or if `what` begins with the file's name.
    private var place: String? {
        switch source {
        case .file, .environment: source?.text
        case .credential(let path): what.hasPrefix(path + " ") ? nil : path
        case .standard, nil: nil
        }
    }
}

/// Why the configuration can't be used: all errors and warnings, those with a place in the file first.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    package var exitStatus: ExitStatus { problems.contains { $0.severity == .error } ? .configuration : .permission }

    package var description: String {
        problems.map { "\($0.severity == .warning ? "warning" : "error"): \($0)" }.joined(separator: "\n")
    }
}

package struct ConfigurationFault: Error, Sendable, CustomStringConvertible {
    package let key: String
    /// Never the value.
    package let what: String
    package let remedy: String

    package init(key: String, what: String, remedy: String) { (self.key, self.what, self.remedy) = (key, what, remedy) }

    package var description: String { "\(key): \(what); \(remedy)" }
}

/// Checks that need other modules. What they throw is shown, so it must hold no secret. By default all pass.
package struct ConfigurationChecks: Sendable {
    /// Throws unless the PEM text is a P-256 key (OpenSSL).
    package var key: @Sendable (Secret) throws -> Void = { _ in }
    /// Throws unless the libpq URI is valid and, without `allowInsecure`, safe (Postgres). Returns what of it is no
    /// secret: user, hosts, database and sslmode. Nil: nothing may be shown.
    package var database: @Sendable (_ url: String, _ allowInsecure: Bool) throws -> String? = { _, _ in nil }
    /// Whether the system has this time zone (TimeZones).
    package var zone: @Sendable (String) -> Bool = { _ in true }
    /// Throws unless a decision service's address and token can be used (HTTPClient).
    package var service: @Sendable (_ url: String, _ token: String?) throws -> Void = { _, _ in }
    /// Throws unless the address for calls after good sweeps can be used (HTTPClient).
    package var heartbeat: @Sendable (_ url: String) throws -> Void = { _ in }
    /// Throws unless a digest's title and text fit a push (APNs).
    package var text: @Sendable (_ title: String, _ body: String) throws -> Void = { _, _ in }

    package init(_ set: (inout ConfigurationChecks) -> Void = { _ in }) { set(&self) }
}
