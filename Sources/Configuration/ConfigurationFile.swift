import Systemd
import YAML

/// The text of a configuration file in which some values are changed. All else in it stays, comments too.
package struct ConfigurationFile: Sendable {
    /// Why the file can't be changed: it is no YAML, or has a section in which a key is missing.
    package struct Unclear: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Nil: the file stays as it is.
    package let text: String?

    /// - Parameters:
    ///   - path: the present file; it may be missing.
    ///   - wanted: dotted keys and their values.
    ///   - unwanted: keys that the file must not have.
    ///   - standard: the text of a new file.
    /// - Throws: `Unclear`, or why the file can't be read.
    package init(
        changing path: String,
        to wanted: [(key: String, value: String)],
        without unwanted: [String] = [],
        standard: String
    ) throws {
        let file = try Self.read(path)
        let isNew = !file.exists || file.values.isEmpty && file.apps.isEmpty
        if let key = unwanted.first(where: { file.values[$0] != nil }) {
            throw Unclear(description: "\(path) has \(key), and you gave none: remove that line, or give its value")
        }
        if isNew {
            text = standard
        } else if wanted.allSatisfy({ file.values[$0.key]?.text == $0.value }) {
            text = nil
            return
        } else {
            text = try Self.changed(file, wanted)
        }
        let result = FileValues(path: path, Array((text ?? "").utf8)).values.mapValues(\.text)
        var expected = isNew ? result : file.values.mapValues(\.text)
        for (key, value) in wanted { expected[key] = value }
        guard result == expected else {
            throw Unclear(
                description: "\(path) has a form in which these values can't be changed: change them yourself"
            )
        }
    }

    /// The values that the file has now.
    package static func values(of path: String) throws -> [String: String] {
        try read(path).values.compactMapValues(\.text)
    }

    private static func read(_ path: String) throws -> FileValues {
        let file = FileValues(reading: path, mustExist: false)
        if let problem = file.problems.first(where: { $0.severity != .warning }) {
            throw Unclear(description: "\(problem)")
        }
        return file
    }

    private static func changed(_ file: FileValues, _ wanted: [(key: String, value: String)]) throws -> String {
        let text = try ProtectedFile(reading: file.path, limit: YAMLDocument.maximumSize).text
        guard !text.utf8.contains(UInt8(ascii: "\r")) else {
            throw Unclear(description: "\(file.path) has line ends of Windows: convert it first")
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (key, value) in wanted where file.values[key]?.text != value {
            guard case .file(_, let mark)? = file.values[key]?.source, lines.indices.contains(mark.line - 1) else {
                throw Unclear(description: "\(file.path) has no \(key): add it yourself, or move the file away")
            }
            let line = lines[mark.line - 1]
            let rest = line.dropFirst(mark.column - 1)
            // A comment after the value stays.
            let end = rest.first == "\"" ? rest.dropFirst().firstIndex(of: "\"") ?? rest.startIndex : rest.startIndex
            let comment = rest[end...].firstRange(of: " #").map { String(rest[$0.lowerBound...]) } ?? ""
            lines[mark.line - 1] = line.prefix(mark.column - 1) + Self.quoted(value) + comment
        }
        return lines.joined(separator: "\n") + "\n"
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
