import YAML

/// What the file says for each key, and what in it is no key.
struct FileValues {
    private(set) var values: [String: RawValue] = [:]
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
                    what: "this is \(root.kindName) and no list of keys",
                    mend: "write sections such as apns: and keys below them"
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
        let mend =
            isKey
            ? "write \(ConfigurationKey.byName[name]?.expectation ?? "a single value")"
                + (isSection ? ", or keys below it" : "")
            : "write its keys below it, indented"
        return ConfigurationProblem(
            at: .file(path: path, mark: entry.value.mark),
            key: name,
            what: "\(entry.value.kindName) stands here",
            mend: mend
        )
    }

    private func unknown(_ entry: YAMLNode.Entry, _ name: String) -> ConfigurationProblem {
        let candidates = ConfigurationKey.all.map(\.name) + ConfigurationKey.sections
        let near = KeySuggestion.nearest(to: name, among: candidates)
        return ConfigurationProblem(
            at: .file(path: path, mark: entry.mark),
            key: name,
            what: "unknown key",
            mend: near.map { "did you mean \($0)?" } ?? "remove it, or see the reference for the key's name"
        )
    }
}
