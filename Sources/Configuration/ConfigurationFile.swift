import JSON
import Systemd
import YAML

/// Changes of a configuration file. All else in it stays, comments too.
package enum ConfigurationFile {
    /// A dotted key and its value. Nil: the key's line is removed.
    package typealias Change = (key: String, value: String?)

    package static func values(of path: String) throws -> [String: String] {
        try read(path).values.compactMapValues(\.text)
    }

    /// The new text (`standard` for a new file), without the line break at its end. Nil: the file stays as it is.
    package static func changed(_ path: String, to wanted: [Change], standard: String) throws -> String? {
        let file = try read(path)
        if file.values.isEmpty && file.apps.isEmpty { return standard }
        let changes = wanted.filter { file.values[$0.key]?.text != $0.value }
        if changes.isEmpty { return nil }
        var lines = try ProtectedFile(reading: path, limit: YAMLDocument.maximumSize).text
            .split(separator: "\n", omittingEmptySubsequences: false).map(Substring?.init)
        var expected = file.values.mapValues(\.text)
        for (key, value) in changes {
            guard case .file(_, let mark)? = file.values[key]?.source, lines.indices.contains(mark.line - 1) else {
                let remedy = "add it yourself, or move the file away"
                throw ConfigurationFault(key: key, what: "is not in \(path)", remedy: remedy)
            }
            expected.removeValue(forKey: key)
            let line = lines[mark.line - 1] ?? ""
            lines[mark.line - 1] = nil
            guard let value else { continue }
            expected[key] = value
            let rest = line.dropFirst(mark.column - 1)
            // A comment after the value stays.
            let end = rest.first == "\"" ? rest.dropFirst().firstIndex(of: "\"") ?? rest.startIndex : rest.startIndex
            let comment = rest[end...].firstRange(of: " #").map { rest[$0.lowerBound...] } ?? ""
            lines[mark.line - 1] = line.prefix(mark.column - 1) + quoted(value) + comment
        }
        let text = lines.compactMap(\.self).joined(separator: "\n")
        let isAsWanted = FileValues(path: path, Array(text.utf8)).values.mapValues(\.text) == expected
        guard isAsWanted, !text.utf8.contains(UInt8(ascii: "\r")) else {
            let keys = changes.map(\.key).joined(separator: ", ")
            let what = "can't be changed in the form that \(path) has"
            throw ConfigurationFault(key: keys, what: what, remedy: "change it yourself")
        }
        return text
    }

    private static func read(_ path: String) throws -> FileValues {
        let file = FileValues(reading: path, mustExist: false)
        let problems = file.problems.filter { $0.severity != .warning }
        if !problems.isEmpty { throw ConfigurationError(problems: problems) }
        return file
    }

    /// A value between quotation marks. YAML reads JSON's texts.
    package static func quoted(_ value: String) -> String { value.document }
}
