/// The values that the environment gives, and warnings about unknown variables that look like nudged's.
struct EnvironmentValues {
    private(set) var values: [String: RawValue] = [:]
    private(set) var problems: [ConfigurationProblem] = []

    /// An empty variable counts as unset: compose files and units pass unset variables on as empty ones.
    ///
    /// - Parameter keyIDs: the ids of the keys in `apns.apps`; see `NamedKeys` for their variables.
    init(_ environment: [String: String], keyIDs: [String] = []) {
        let named = NamedKeys.keys.flatMap { key in keyIDs.map { key.environmentName(forKeyID: $0) } }
        var known = Set(named)
        for key in ConfigurationKey.all {
            known.insert(key.environmentName)
            guard let text = environment[key.environmentName], !text.isEmpty else { continue }
            values[key.name] = RawValue(text: text, source: .environment(name: key.environmentName))
        }
        for name in environment.keys.sorted()
        where !known.contains(name) && (name.hasPrefix("APNS_") || name.hasPrefix("POLICY_")) {
            let near = KeySuggestion.nearest(
                toVariable: name,
                among: ConfigurationKey.all.map(\.environmentName) + named
            )
            problems.append(
                ConfigurationProblem(
                    .warning,
                    at: .environment(name: name),
                    key: nil,
                    what: "unknown variable",
                    remedy: near.map { "did you mean \($0)?" } ?? "unset it, or see nudged config --reference"
                )
            )
        }
    }
}
