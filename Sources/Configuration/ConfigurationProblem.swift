package import YAML

/// One error or probable mistake in the configuration: where, which key, what, and what to do. It holds no secret.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The configuration can't be used.
        case error
        /// A permission is missing or a secret is open. The configuration can't be used.
        case permission
        /// The configuration can be used.
        case warning
    }

    package let severity: Severity
    /// The configuration file or the credential's file. Nil if the value came from neither.
    package let file: String?
    package let mark: YAMLMark?
    /// The environment variable, if the value came from one.
    package let variable: String?
    /// The dotted key as it was written. Nil if the whole file is meant.
    package let key: String?
    /// What is wrong.
    package let what: String
    /// What to do.
    package let remedy: String

    init(_ severity: Severity = .error, at source: ValueSource? = nil, key: String?, what: String, remedy: String) {
        self.severity = severity
        self.key = key
        self.what = what
        self.remedy = remedy
        switch source {
        case .file(let path, let mark): (file, self.mark, variable) = (path, mark, nil)
        case .credential(let path): (file, mark, variable) = (path, nil, nil)
        case .environment(let name): (file, mark, variable) = (nil, nil, name)
        case .standard, nil: (file, mark, variable) = (nil, nil, nil)
        }
    }

    init(_ severity: Severity = .error, file: String, mark: YAMLMark? = nil, what: String, remedy: String) {
        self.severity = severity
        self.file = file
        self.mark = mark
        self.what = what
        self.remedy = remedy
        variable = nil
        key = nil
    }

    /// Place, key and what is wrong: `/etc/nudged/nudged.yaml:3:5: apns.teamID: unknown key`.
    package var found: String { [place, key, what].compactMap(\.self).joined(separator: ": ") }

    /// File, line and column; or the variable's name. Nil if there is none, or if `what` begins with the file's name.
    private var place: String? {
        guard let file else { return variable.map { "environment \($0)" } }
        if let mark { return "\(file):\(mark.line):\(mark.column)" }
        return what.hasPrefix(file + " ") ? nil : file
    }

    /// One line: `found` and the remedy.
    package var description: String { "\(found): \(remedy)" }
}
