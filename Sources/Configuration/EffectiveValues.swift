import APNs
import Base
import Metrics
import NudgedPreferences
import Policy
import Systemd
package import YAML

package enum ValueSource: Sendable, Equatable {
    case standard
    case file(path: String, mark: YAMLMark)
    case credential(path: String)
    case environment(name: String)

    /// The highest rank wins: environment, credentials, file, default.
    var rank: Int {
        switch self {
        case .standard: 0
        case .file: 1
        case .credential: 2
        case .environment: 3
        }
    }

    package var text: String {
        switch self {
        case .standard: "default"
        case .file(let path, let mark): "\(path):\(mark.line):\(mark.column)"
        case .credential(let path): "credential \(path)"
        case .environment(let name): "environment \(name)"
        }
    }
}

struct RawValue: Sendable {
    /// Nil for an explicit null, if there is no default, and for a key's text from a credential.
    var text: String?
    /// A key's text from a credential: it never becomes a `String`, which can't be overwritten.
    var secret: Secret?
    let source: ValueSource
}

struct AppEntry {
    let name: String
    let source: ValueSource
    /// The values that the entry gives, by the key that each overrides, such as `apns.teamId`.
    var values: [String: RawValue] = [:]
    /// Whether something in the entry was not understood. Then what it seems to inherit may not be meant.
    var isUnclear = false

    /// `apns.apps[1].teamId` for `apns.teamId`.
    func name(of key: String) -> String { name + key.dropFirst("apns".count) }
}

/// Where the keys put their values. A part counts only if its keys were given: `EffectiveValues.has`.
struct Draft: Sendable {
    var lane = Configuration.Lane(teamID: "", keyID: "", privateKey: Secret(""), bundleID: "", environment: .production)
    /// Devices without an environment belong to the first.
    var environments: [APNsEnvironment] = [.production, .sandbox]
    var environment: APNsEnvironment {
        get { environments[0] }
        set { environments = [newValue] }
    }
    var keyFile: String?
    var apns = Configuration.APNs(lanes: [], maxInFlight: 1, responseTimeout: .seconds(10))
    var database = Configuration.Database(url: Secret(""), allowInsecure: false, statementTimeout: .seconds(10))
    var schedule = Configuration.Schedule(interval: .seconds(1), lease: .seconds(30), batch: 1)
    var messages = Configuration.Messages(digestAfter: 3, digestTitle: "", digestBody: "")
    var decision = Configuration.Decision(url: "", timeout: .seconds(2), concurrency: 8)
    var policy = Rules { $0.quietHours = nil }
    var metrics: (listen: ListenAddress?, token: Secret?)
    var heartbeat = Configuration.Heartbeat(url: Secret(""), interval: .seconds(60))
    var logLevel = LogLevel.info
}

/// The value in force of each key with its source, for the main app or for an entry of `apns.apps`.
struct EffectiveValues {
    private struct Value {
        var source = ValueSource.standard
        /// The value as it would be written. Nil if there is none or a wrong one.
        var shown: String?
        /// A wrong value must not be reported as missing too.
        var isWrong = false
        /// For an inherited value of an entry: the shown name of the key that gives it.
        var origin: String?
    }

    private(set) var draft = Draft()
    var problems: [ConfigurationProblem] = []
    private var values: [String: Value] = [:]
    let app: AppEntry?

    /// - Parameter layers: raw values by key, in any order. The source with the highest rank wins.
    init(_ layers: [[String: RawValue]]) {
        app = nil
        for key in ConfigurationKey.all {
            let raw = layers.compactMap { $0[key.name] }.max { $0.source.rank < $1.source.rank }
            take(raw ?? RawValue(source: .standard), for: key)
        }
    }

    /// An app's values: those of its entry, else the main app's. Not the signing key: it depends on the key's id.
    init(_ app: AppEntry, over main: EffectiveValues) {
        self.app = app
        draft = main.draft
        for key in ConfigurationKey.ofApp {
            if let raw = app.values[key.name] {
                take(raw, for: key)
            } else if !ConfigurationKey.signingKeys.contains(where: { $0.name == key.name }) {
                inherit(key.name, from: main)
            }
        }
    }

    private mutating func take(_ raw: RawValue, for key: ConfigurationKey) {
        var raw = raw
        let isNull = raw.text == nil && raw.secret == nil
        values[key.name] = Value(source: isNull && !key.values.takesNone ? .standard : raw.source)
        // A null means `none` if the key takes that, else the default.
        if isNull, raw.source == .standard || !key.values.takesNone { raw.text = key.standard }
        guard raw.text != nil || raw.secret != nil, raw.text != "none" || !key.values.takesNone else { return }
        let shown = key.values.read(raw, &draft)
        values[key.name]?.shown = shown
        guard shown == nil else { return }
        values[key.name]?.isWrong = true
        let what = key.isSecret ? "the value is wrong" : key.values.wrong(raw.text ?? "")
        report(key.name, what, "write \(key.values.expectation)")
    }

    /// Takes values of another source if it is stronger than the present one.
    mutating func take(_ layer: [String: RawValue]) {
        for key in ConfigurationKey.ofApp {
            guard let raw = layer[key.name], raw.source.rank > source(key.name).rank else { continue }
            drop(key.name)
            take(raw, for: key)
        }
    }

    /// Takes another app's value and its source. The caller copies what the draft has.
    mutating func inherit(_ name: String, from other: EffectiveValues) {
        var value = other.values[name] ?? Value()
        value.origin = value.origin ?? other.shownName(name)
        values[name] = value
    }

    mutating func drop(_ name: String) {
        values[name] = nil
        let shown = shownName(name)
        problems.removeAll { $0.key == shown }
    }

    /// The key's name in errors and in `config`: `apns.apps[1].teamId` for an entry.
    func shownName(_ name: String) -> String { app?.name(of: name) ?? name }
    func source(_ name: String) -> ValueSource { values[name]?.source ?? .standard }
    func has(_ names: String...) -> Bool { names.allSatisfy { values[$0]?.shown != nil } }
    func isWrong(_ name: String) -> Bool { values[name]?.isWrong ?? false }
    func isGiven(_ name: String) -> Bool { has(name) || isWrong(name) }
    func inherits(_ name: String) -> Bool { values[name]?.origin != nil }
    func text(_ name: String) -> String? { values[name]?.shown }

    typealias Problem = ConfigurationProblem

    mutating func report(_ name: String, _ what: String, _ remedy: String, as severity: Problem.Severity = .error) {
        let (place, key) = (source(name), shownName(name))
        problems.append(.init(severity: severity, source: place, key: key, what: what, remedy: remedy))
    }

    mutating func report(_ error: SystemdError, _ name: String) {
        problems.append(ConfigurationProblem(error, at: source(name), key: shownName(name)))
    }

    func rows(disclosed: [String: String] = [:]) -> [ConfigurationRow] {
        let keys = app == nil ? ConfigurationKey.all : ConfigurationKey.ofApp
        return keys.filter { !$0.isInternal || source($0.name) != .standard }.map { key -> ConfigurationRow in
            let (name, place) = (shownName(key.name), source(key.name))
            let origin = place == .standard ? nil : values[key.name]?.origin
            var shown = text(key.name)
            if shown == nil, key.values.takesNone, key.standard != nil || place != .standard {
                shown = "none"
            } else if shown != nil, key.isSecret {
                shown = disclosed[key.name] ?? Secret.hidden
            }
            return .init(key: name, value: shown, isSecret: key.isSecret, source: place, inheritedFrom: origin)
        }
    }
}
