package import YAML

/// The source of a value.
package enum ValueSource: Sendable, Equatable {
    /// The key's default.
    case standard
    /// The file, at this place.
    case file(path: String, mark: YAMLMark)
    /// A file in systemd's credentials directory.
    case credential(path: String)
    /// An environment variable.
    case environment(name: String)

    /// The highest rank wins: environment, credentials, file, default.
    var rank: Int {
        switch self {
        case .standard: 0
        case .file: 1
        case .credential: 2
        case .environment: 3
        }
    }

    /// The source as `config` prints it.
    package var text: String {
        switch self {
        case .standard: "default"
        case .file(let path, let mark): "\(path):\(mark.line):\(mark.column)"
        case .credential(let path): "credential \(path)"
        case .environment(let name): "environment \(name)"
        }
    }
}
