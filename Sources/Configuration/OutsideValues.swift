import Base
import Systemd

struct OutsideValues {
    let environment: [String: String]
    private var credentials: Credentials { Credentials(environment: environment) }

    func secrets(_ problems: inout [ConfigurationProblem]) -> [String: RawValue] {
        ConfigurationKey.all.filter(\.isSecret).reduce(into: [:]) {
            $0[$1.name] = credential($1.name, shown: $1.name, &problems)
        }
    }

    private func credential(_ name: String, shown: String, _ problems: inout [ConfigurationProblem]) -> RawValue? {
        guard let path = credentials.path(of: name) else { return nil }
        let source = ValueSource.credential(path: path)
        do throws(SystemdError) {
            guard let secret = try credentials.read(name) else { return nil }
            // A key's text never becomes a `String`.
            return name.hasPrefix(ConfigurationKey.signingKey)
                ? RawValue(secret: secret, source: source) : RawValue(text: secret.text, source: source)
        } catch {
            problems.append(ConfigurationProblem(error, at: source, key: shown))
            return nil
        }
    }

    /// An empty variable counts as unset: compose files and units pass unset variables on as empty ones.
    private func variable(_ name: String) -> RawValue? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        return RawValue(text: text, source: .environment(name: name))
    }

    var variables: [String: RawValue] {
        ConfigurationKey.all.reduce(into: [:]) { $0[$1.name] = variable($1.environmentName) }
    }

    /// From the credential `apns.privateKey.KEYID` and `APNS_PRIVATE_KEY_KEYID`. Nil: the credential can't be used.
    func signingKey(_ keyID: String, of values: inout EffectiveValues) -> [[String: RawValue]]? {
        let name = ConfigurationKey.signingKey
        let count = values.problems.count
        let secret = credential("\(name).\(keyID)", shown: values.shownName(name), &values.problems)
        guard values.problems.count == count else { return nil }
        let variables = ConfigurationKey.signingKeys.reduce(into: [:]) {
            $0[$1.name] = variable($1.environmentName(forKeyID: keyID))
        }
        return [variables, secret.map { [name: $0] } ?? [:]]
    }

    /// Warnings about unknown variables that look like nudged's. `keyIDs`: the ids of the keys in `apns.apps`.
    func unknownVariables(keyIDs: [String]) -> [ConfigurationProblem] {
        var known = ConfigurationKey.all.map(\.environmentName)
        for key in ConfigurationKey.signingKeys { known += keyIDs.map { key.environmentName(forKeyID: $0) } }
        return environment.keys.sorted().filter { name in
            (name.hasPrefix("APNS_") || name.hasPrefix("POLICY_")) && !known.contains(name)
        }.map { name -> ConfigurationProblem in
            let near = KeySuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
            let (source, fix) = (ValueSource.environment(name: name), "unset it, or see nudged config --reference")
            return .init(severity: .warning, source: source, key: nil, what: "unknown variable", remedy: near ?? fix)
        }
    }
}
