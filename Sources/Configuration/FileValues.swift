import YAML

/// The values that the file gives, and errors for everything in it that is no key.
struct FileValues {
    private(set) var values: [String: RawValue] = [:]
    /// The entries of `apns.apps`.
    private(set) var apps: [AppEntry] = []
    private(set) var problems: [ConfigurationProblem] = []
    private let path: String

    init(path: String, root: YAMLNode?) {
        self.path = path
        guard let root, !root.isNull else { return }
        guard case .mapping(let entries) = root.value else {
            problems.append(
                ConfigurationProblem(
                    file: path,
                    mark: root.mark,
                    what: "this is \(root.kindName), not sections with keys",
                    remedy: "write sections such as apns: and keys below them"
                )
            )
            return
        }
        read(entries, under: "")
    }

    private mutating func read(_ entries: [YAMLNode.Entry], under section: String) {
        for entry in entries {
            let name = section.isEmpty ? entry.key : section + "." + entry.key
            let isSection = ConfigurationKey.sections.contains(name)
            let isKey = ConfigurationKey.byName[name] != nil
            switch entry.value.value {
            case .sequence(let items) where name == ConfigurationKey.appsName: readApps(items)
            case _ where name == ConfigurationKey.appsName: if !entry.value.isNull { noList(entry.value) }
            case .mapping(let inner) where isSection: read(inner, under: name)
            case .scalar(let text, _) where isKey:
                let source = ValueSource.file(path: path, mark: entry.value.mark)
                values[name] = RawValue(text: entry.value.isNull ? nil : text, source: source)
            // `apns:` with nothing below it.
            case .scalar where isSection && entry.value.isNull: break
            default:
                problems.append(isSection || isKey ? wrongShape(entry, name, isSection, isKey) : unknown(entry, name))
            }
        }
    }

    private func wrongShape(_ entry: YAMLNode.Entry, _ name: String, _ isSection: Bool, _ isKey: Bool)
        -> ConfigurationProblem
    {
        let source = ValueSource.file(path: path, mark: entry.value.mark)
        let remedy =
            switch (isKey, isSection) {
            // The only key that is a section too.
            case (true, true): ValueParser.quietHoursRemedy(nil, source)
            case (true, false): "write \(ConfigurationKey.byName[name]?.expectation ?? "a single value")"
            case (false, _): "write its keys below it, indented"
            }
        return ConfigurationProblem(
            at: source,
            key: name,
            what: "this is \(entry.value.kindName)",
            remedy: remedy
        )
    }

    private func unknown(_ entry: YAMLNode.Entry, _ name: String) -> ConfigurationProblem {
        let candidates = ConfigurationKey.all.map(\.name) + ConfigurationKey.sections + [ConfigurationKey.appsName]
        let near = KeySuggestion.nearest(to: name, among: candidates)
        return ConfigurationProblem(
            at: .file(path: path, mark: entry.mark),
            key: ValueParser.shown(name, most: 100),
            what: "unknown key",
            remedy: near.map { "did you mean \($0)?" }
                ?? "remove it, or see nudged config --reference for the key's name"
        )
    }
}

// MARK: - apns.apps
extension FileValues {
    private mutating func readApps(_ items: [YAMLNode]) {
        for (index, item) in items.enumerated() {
            guard index < ConfigurationKey.mostApps else {
                let most = ConfigurationKey.mostApps
                report(item.mark, ConfigurationKey.appsName, "more than \(most) apps", "keep at most \(most)")
                return
            }
            var app = AppEntry(index: index, source: .file(path: path, mark: item.mark))
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
        let name = app.name + "." + entry.key
        guard let key = ConfigurationKey.ofApp.first(where: { $0.name == "apns." + entry.key }) else {
            app.isUnclear = true
            let shown = ValueParser.shown(name, most: 100)
            return report(entry.mark, shown, "unknown key", remedy(ofUnknown: entry.key, in: app))
        }
        guard case .scalar(let text, _) = entry.value.value else {
            return report(
                entry.value.mark,
                name,
                "this is \(entry.value.kindName)",
                "write \(key.expectation)"
            )
        }
        // A null gives no value, so the entry inherits one.
        if entry.value.isNull { return }
        app.values[key.name] = RawValue(text: text, source: .file(path: path, mark: entry.value.mark))
    }

    private func remedy(ofUnknown key: String, in app: AppEntry) -> String {
        if ConfigurationKey.byName["apns." + key] != nil {
            return "it is one value for all apps: write it as apns.\(key)"
        }
        let near = KeySuggestion.nearest(
            to: app.name + "." + key,
            among: ConfigurationKey.ofApp.map { app.name(of: $0.name) }
        )
        let known = ConfigurationKey.ofApp.map { String($0.name.dropFirst("apns.".count)) }.joined(separator: ", ")
        return near.map { "did you mean \($0)?" } ?? "remove it; an app's keys are \(known)"
    }

    private mutating func noList(_ value: YAMLNode) {
        report(
            value.mark,
            ConfigurationKey.appsName,
            "this is \(value.kindName)",
            "write a list: for each app a dash, and its keys after it"
        )
    }

    private mutating func report(_ mark: YAMLMark, _ key: String, _ what: String, _ remedy: String) {
        problems.append(ConfigurationProblem(at: .file(path: path, mark: mark), key: key, what: what, remedy: remedy))
    }
}
