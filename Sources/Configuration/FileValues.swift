import Systemd
import YAML

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
