import Base
import Metrics
import NudgedPreferences
import Policy

/// For each key, the value in force and its source.
struct EffectiveValues {
    private(set) var problems: [ConfigurationProblem] = []
    private var values: [String: (parsed: ParsedValue, source: ValueSource)] = [:]
    /// Keys whose value is wrong. They must not be reported as missing too.
    private(set) var wrong: Set<String> = []
    /// The entry of `apns.apps` that these values belong to. Nil for the main app.
    private(set) var app: AppEntry?
    /// For an entry: each inherited key, with the shown name of the key that gives its value.
    private(set) var origins: [String: String] = [:]

    /// - Parameter layers: raw values by key, in any order. The source with the highest rank wins.
    init(_ layers: [[String: RawValue]]) {
        for key in ConfigurationKey.all {
            let candidates = layers.compactMap { $0[key.name] }
            let raw =
                candidates.max { $0.source.rank < $1.source.rank } ?? RawValue(text: key.standard, source: .standard)
            take(raw, for: key)
        }
    }

    /// An app's values: those of its entry, else the main app's. The signing key is not inherited here: it depends on
    /// the key's id.
    init(_ app: AppEntry, over main: EffectiveValues) {
        self.app = app
        for key in ConfigurationKey.ofApp {
            if let raw = app.values[key.name] {
                take(raw, for: key)
            } else if !NamedKeys.keys.contains(where: { $0.name == key.name }) {
                inherit(key.name, from: main)
            }
        }
    }

    private mutating func take(_ raw: RawValue, for key: ConfigurationKey) {
        do throws(ValueParser.Failure) {
            let isGiven = raw.text != nil || raw.secret != nil || key.takesNone
            let source = isGiven ? raw.source : ValueSource.standard
            values[key.name] = (try ValueParser.parse(raw, for: key), source)
        } catch {
            wrong.insert(key.name)
            values[key.name] = (.none, raw.source)
            problems.append(
                ConfigurationProblem(
                    at: raw.source,
                    key: shownName(key.name),
                    what: error.what,
                    remedy: error.remedy
                )
            )
        }
    }

    /// Takes values of another source if it is stronger than the present one.
    mutating func take(_ layer: [String: RawValue]) {
        for key in ConfigurationKey.ofApp {
            guard let raw = layer[key.name], raw.source.rank > source(key.name).rank else { continue }
            drop(key.name)
            take(raw, for: key)
        }
    }

    /// Takes another app's value and its source.
    mutating func inherit(_ name: String, from other: EffectiveValues) {
        values[name] = other.values[name]
        origins[name] = other.origins[name] ?? other.shownName(name)
        if other.wrong.contains(name) { wrong.insert(name) }
    }

    /// The key's name in errors and in `config`: `apns.apps[1].teamId` for an entry.
    func shownName(_ name: String) -> String { app?.name(of: name) ?? name }

    func source(_ name: String) -> ValueSource { values[name]?.source ?? .standard }

    func parsed(_ name: String) -> ParsedValue { values[name]?.parsed ?? .none }

    /// Nil if there is no value or a wrong one.
    func text(_ name: String) -> String? {
        if case .text(let text) = parsed(name) { text } else { nil }
    }

    /// A signing key's text.
    func secret(_ name: String) -> Secret? {
        if case .secret(let secret) = parsed(name) { secret } else { nil }
    }

    func integer(_ name: String) -> Int? {
        if case .integer(let number) = parsed(name) { number } else { nil }
    }

    func boolean(_ name: String) -> Bool? {
        if case .boolean(let value) = parsed(name) { value } else { nil }
    }

    func duration(_ name: String) -> Duration? {
        if case .duration(let value) = parsed(name) { value } else { nil }
    }

    func wallTime(_ name: String) -> TimeOfDay? {
        if case .wallTime(let time) = parsed(name) { time } else { nil }
    }

    func endpoint(_ name: String) -> Configuration.Endpoint? {
        if case .endpoint(let endpoint) = parsed(name) { endpoint } else { nil }
    }

    func loopback(_ name: String) -> LoopbackAddress? {
        if case .loopback(let address) = parsed(name) { address } else { nil }
    }

    /// Removes a key that a stronger one replaces, with its problems.
    mutating func drop(_ name: String) {
        values[name] = nil
        let shown = shownName(name)
        problems.removeAll { $0.key == shown }
        wrong.remove(name)
    }
}
