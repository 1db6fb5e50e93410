package import YAML

/// Where a value of the configuration came from.
package enum ValueSource: Sendable, Equatable {
    /// The default of the key.
    case standard
    /// The file, at that place.
    case file(path: String, mark: YAMLMark)
    /// A file in systemd's credentials directory.
    case credential(path: String)
    /// An environment variable.
    case environment(name: String)

    /// Who wins where several say something: environment, then credentials, then file, then default.
    var rank: Int {
        switch self {
        case .standard: 0
        case .file: 1
        case .credential: 2
        case .environment: 3
        }
    }

    /// For `config --show`.
    package var words: String {
        switch self {
        case .standard: "default"
        case .file(let path, let mark): "\(path):\(mark.line):\(mark.column)"
        case .credential(let path): "credential \(path)"
        case .environment(let name): "environment \(name)"
        }
    }
}
