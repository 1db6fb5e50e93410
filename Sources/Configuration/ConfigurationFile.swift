import Systemd
import YAML

/// The text of a configuration file in which some values are changed. All else in it stays, comments too.
package struct ConfigurationFile: Sendable {
    /// Why the file can't be changed: it is no YAML, or has a section in which a key is missing.
    package struct Unclear: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let text: String

    /// - Parameters:
    ///   - path: the present file; it may be missing.
    ///   - wanted: dotted keys and their values.
    ///   - standard: the text of a new file.
    /// - Throws: `Unclear`, or why the file can't be read.
    package init(changing path: String, to wanted: [(key: String, value: String)], standard: String) throws {
        let file = FileValues(reading: path, mustExist: false)
        if let problem = file.problems.first(where: { $0.severity != .warning }) {
            throw Unclear(description: "\(problem)")
        }
        guard file.exists, !(file.values.isEmpty && file.apps.isEmpty) else {
            text = standard
            return
        }
        var lines = try ProtectedFile(reading: path, limit: YAMLDocument.maximumSize).text
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (key, value) in wanted where file.values[key]?.text != value {
            guard case .file(_, let mark)? = file.values[key]?.source, lines.indices.contains(mark.line - 1) else {
                throw Unclear(description: "\(path) has no \(key): add it yourself, or move the file away")
            }
            lines[mark.line - 1] = lines[mark.line - 1].prefix(mark.column - 1) + Self.quoted(value)
        }
        text = lines.joined(separator: "\n") + "\n"
        let changed = FileValues(path: path, Array(text.utf8)).values
        if let (key, _) = wanted.first(where: { changed[$0.key]?.text != $0.value }) {
            throw Unclear(description: "\(path) has \(key) in a form that can't be changed: change it yourself")
        }
    }

    /// A value between quotation marks, as YAML reads it.
    package static func quoted(_ value: String) -> String {
        var shown = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": shown += "\\\(scalar)"
            case "\n": shown += "\\n"
            case "\t": shown += "\\t"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown + "\""
    }
}
