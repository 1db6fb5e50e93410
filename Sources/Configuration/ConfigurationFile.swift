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

struct FileValues {
    private(set) var values: [String: RawValue] = [:]
    private(set) var apps: [AppEntry] = []
    private(set) var problems: [ConfigurationProblem] = []
    let path: String
    private(set) var exists = true
    /// False if the file couldn't be read: then the file is the error, not each missing key.
    private(set) var isRead = true
    private(set) var isOpen = false

    init(reading path: String, mustExist: Bool) {
        self.path = path
        do throws(SystemdError) {
            let file = try ProtectedFile(reading: path, limit: YAMLDocument.maximumSize)
            // That is an error only if the file holds a secret; the assembler checks it.
            isOpen = file.isWorldReadable
            parse(Array(file.text.utf8))
        } catch {
            exists = error.code != .missing
            // An empty file is no error: the environment may give every value.
            guard error.code != .empty, exists || mustExist else { return }
            isRead = false
            problems = [ConfigurationProblem(error)]
        }
    }

    init(path: String, _ bytes: [UInt8]) {
        self.path = path
        parse(bytes)
    }

    private mutating func parse(_ bytes: [UInt8]) {
        do throws(YAMLError) {
            guard let root = try YAMLDocument.parse(bytes), !root.isNull else { return }
            guard case .mapping(let entries) = root.value else {
                let what = "this is \(root.kindName), not sections with keys"
                return report(root.mark, nil, what, "write sections such as apns: and keys below them")
            }
            read(entries, under: "")
        } catch {
            isRead = false
            report(error.mark, nil, error.what, "correct the YAML at this place")
        }
    }

    private mutating func report(_ mark: YAMLMark, _ key: String?, _ what: String, _ remedy: String) {
        problems.append(.init(source: .file(path: path, mark: mark), key: key, what: what, remedy: remedy))
    }

    private func raw(_ text: String?, _ node: YAMLNode) -> RawValue {
        RawValue(text: text, source: .file(path: path, mark: node.mark))
    }

    private mutating func read(_ entries: [YAMLNode.Entry], under section: String) {
        for entry in entries {
            let (name, node) = (section.isEmpty ? entry.key : section + "." + entry.key, entry.value)
            let isMapping = ConfigurationKey.sections.contains { $0.name == name }
            let key = name == ConfigurationKey.signingKey ? nil : ConfigurationKey.byName[name]
            switch node.value {
            case .sequence(let items) where name == ConfigurationKey.apps: readApps(items)
            case _ where name == ConfigurationKey.apps:
                guard !node.isNull else { continue }
                let remedy = "write a list: for each app a dash, and its keys after it"
                report(node.mark, name, "this is \(node.kindName)", remedy)
            case .mapping(let inner) where isMapping: read(inner, under: name)
            case .scalar(let text, _) where key != nil: values[name] = raw(node.isNull ? nil : text, node)
            // `apns:` with nothing below it.
            case .scalar where isMapping && node.isNull: break
            case _ where isMapping || key != nil:
                let remedy = key.map { "write \($0.values.expectation)" } ?? "write its keys below it, indented"
                report(node.mark, name, "this is \(node.kindName)", remedy)
            default:
                let sections = ConfigurationKey.sections.map(\.name)
                let known = ConfigurationKey.listed.map(\.name) + sections + [ConfigurationKey.apps]
                let isKey = name == ConfigurationKey.signingKey
                let near = isKey ? ConfigurationKey.signingKeyFile : KeySuggestion.nearest(to: name, among: known)
                let remedy = near.map { "did you mean \($0)?" }
                let other = "remove it, or see nudged config --reference for the key's name"
                report(entry.mark, ValueKind.beginning(of: name, most: 100), "unknown key", remedy ?? other)
            }
        }
    }

    private mutating func readApps(_ items: [YAMLNode]) {
        for (index, item) in items.enumerated() {
            guard index < ConfigurationKey.mostApps else {
                let most = ConfigurationKey.mostApps
                return report(item.mark, ConfigurationKey.apps, "more than \(most) apps", "keep at most \(most)")
            }
            var app = AppEntry(name: "\(ConfigurationKey.apps)[\(index)]", source: .file(path: path, mark: item.mark))
            if case .mapping(let entries) = item.value {
                for entry in entries { read(entry, into: &app) }
            } else {
                app.isUnclear = true
                report(item.mark, app.name, "this is \(item.kindName)", "write the app's keys after the dash")
            }
            apps.append(app)
        }
    }

    private mutating func read(_ entry: YAMLNode.Entry, into app: inout AppEntry) {
        let (name, node) = (app.name + "." + entry.key, entry.value)
        let known = ConfigurationKey.ofApp.filter { $0.name != ConfigurationKey.signingKey }
        guard let key = known.first(where: { $0.name == "apns." + entry.key }) else {
            app.isUnclear = true
            let names = ConfigurationKey.ofApp.filter { !$0.isInternal }.map { app.name(of: $0.name) }
            let near = KeySuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
            let keys = names.map { $0.dropFirst(app.name.count + 1) }.joined(separator: ", ")
            let remedy = near ?? "remove it; an app's keys are \(keys)"
            return report(entry.mark, ValueKind.beginning(of: name, most: 100), "unknown key", remedy)
        }
        guard case .scalar(let text, _) = node.value
        else { return report(node.mark, name, "this is \(node.kindName)", "write \(key.values.expectation)") }
        // A null gives no value, so the entry inherits one.
        if !node.isNull { app.values[key.name] = raw(text, node) }
    }
}

package enum KeySuggestion {
    /// Case, `_` and `-` are ignored. The last part is also compared alone: it may be in a wrong section.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let wanted = plain(name)
        // The limit depends on the last part: most long names have the same beginning.
        let limit = max(2, lastPart(wanted).count / 4 + 1)
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            // A different section counts as one change, so that the right section wins if both match.
            let leaf = distance(lastPart(wanted), lastPart(plain(candidate))) + 1
            let found = min(distance(wanted, plain(candidate)), leaf)
            if found <= limit, found < best?.distance ?? Int.max { best = (found, candidate) }
        }
        return best?.candidate
    }

    private static func plain(_ name: String) -> [UInt8] {
        name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    private static func lastPart(_ name: [UInt8]) -> [UInt8] {
        Array(name.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed())
    }

    /// Optimal string alignment. Names over 100 bytes are not compared, so that a huge key costs nothing.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        if a.count > 100 || b.count > 100 { return Int.max / 2 }
        var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        for i in 0..<a.count {
            for j in 0..<b.count {
                var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, rows[i + 1][j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                rows[i + 1][j + 1] = least
            }
        }
        return rows[a.count][b.count]
    }
}
