package import YAML

/// One thing that is wrong, or probably a mistake, in the configuration: where, which key, what, and the mend.
/// It holds no secret.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// How bad it is.
    package enum Severity: String, Sendable {
        /// The configuration can't be used.
        case error
        /// A right is missing or a secret is open; the configuration can't be used.
        case permission
        /// It can be used.
        case warning
    }

    /// How bad it is.
    package let severity: Severity
    /// The file, or nil where the value came from elsewhere.
    package let file: String?
    /// The place in the file.
    package let mark: YAMLMark?
    /// The environment variable, where the value came from one.
    package let variable: String?
    /// The dotted key as it was written; nil where the whole file is meant.
    package let key: String?
    /// What is wrong.
    package let what: String
    /// What to do.
    package let mend: String

    init(_ severity: Severity = .error, at source: ValueSource? = nil, key: String?, what: String, mend: String) {
        self.severity = severity
        self.key = key
        self.what = what
        self.mend = mend
        switch source {
        case .file(let path, let mark): (file, self.mark, variable) = (path, mark, nil)
        case .credential(let path): (file, mark, variable) = (path, nil, nil)
        case .environment(let name): (file, mark, variable) = (nil, nil, name)
        case .standard, nil: (file, mark, variable) = (nil, nil, nil)
        }
    }

    init(_ severity: Severity = .error, file: String, mark: YAMLMark? = nil, what: String, mend: String) {
        self.severity = severity
        self.file = file
        self.mark = mark
        self.what = what
        self.mend = mend
        variable = nil
        key = nil
    }

    /// File, line and column, or the variable.
    package var place: String {
        let place = file ?? variable.map { "environment \($0)" } ?? "configuration"
        return mark.map { "\(place):\($0.line):\($0.column)" } ?? place
    }

    /// `/etc/nudged/nudged.yaml:3:5: apns.teamID: unknown key: did you mean apns.teamId?`, or with the variable's name in place of file,
    /// line and column.
    package var description: String { ([place] + [key, what, mend].compactMap { $0 }).joined(separator: ": ") }
}
