/// The loader, the reference and the messages are made from these. Rules between keys are in `ConfigurationAssembler`.
package struct ConfigurationKey: Sendable {
    package let name: String
    let values: ValueKind
    let standard: String?
    package let isSecret: Bool
    /// The commands that need the key. Empty if it has a default or is optional.
    let need: ConfigurationNeeds
    private(set) var summary = ""
    /// Whether it is one of `internals`, which have no summary.
    var isInternal: Bool { summary.isEmpty }

    init(
        _ name: String,
        _ values: ValueKind,
        default standard: String? = nil,
        isSecret: Bool = false,
        need: ConfigurationNeeds = []
    ) {
        (self.name, self.values, self.standard) = (name, values, standard)
        (self.isSecret, self.need) = (isSecret, need)
    }

    func means(_ summary: String) -> ConfigurationKey {
        var key = self
        key.summary = summary
        return key
    }

    /// The environment variable: `APNS_TEAM_ID` for `apns.teamId`.
    var environmentName: String {
        name.map { $0 == "." ? "_" : ($0.isUppercase ? "_" : "") + $0.uppercased() }.joined()
    }

    /// The variable for the app that signs with the key `keyID`, such as `APNS_PRIVATE_KEY_FILE_KEY2345678`.
    func environmentName(forKeyID keyID: String) -> String { environmentName + "_" + keyID }
    static func listed(in section: String) -> [ConfigurationKey] { listed.filter { $0.name.hasPrefix(section + ".") } }

    package static let all = sections.flatMap { section in
        listed(in: section.name) + internals.filter { $0.name.hasPrefix(section.name + ".") }
    }

    package static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    static let signingKey = "apns.privateKey"
    static let signingKeyFile = "apns.privateKeyFile"

    /// The list of further apps. Only the file can have it: an environment variable holds no list.
    static let apps = "apns.apps"

    /// The most entries of `apns.apps`. Each entry opens connections, so the number must be bounded.
    static let mostApps = 32

    /// The keys of an app, which an entry of `apns.apps` may have, or inherit.
    static let ofApp =
        listed(in: "apns") + internals.filter { [signingKey, "apns.endpoint", "apns.caFile"].contains($0.name) }

    static let signingKeys = all.filter { $0.name == signingKey || $0.name == signingKeyFile }
}

/// What a command works with. Keys that it does not need may be missing.
package struct ConfigurationNeeds: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let apns = ConfigurationNeeds(rawValue: 1)
    package static let database = ConfigurationNeeds(rawValue: 2)
    package static let all: ConfigurationNeeds = [.apns, .database]
}

/// Durations as the configuration writes them: `500ms`, `1s`, `5m`, `2h`, or a number of seconds such as `0.5`.
extension Duration {
    /// From the longest to the shortest, in microseconds.
    private static let units: [(name: String, size: Int64)] = [
        ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000),
    ]

    /// Nil for any other text, for a negative duration and for one of more than 10,000,000 of its unit.
    package init?(text: String) {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = number.endIndex == text.endIndex ? "s" : text[number.endIndex...]
        guard let size = Self.units.first(where: { $0.name == name })?.size else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        // Decimal digits, not Double: `0.3` must be exactly 300 ms. More than six decimals are taken for a mistake.
        guard parts.count <= 2, let whole = Int64(parts[0]), whole <= 10_000_000 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard !fraction.isEmpty, fraction.count <= 6, let part = Int64(fraction) else { return nil }
        let scale = (0..<fraction.count).reduce(Int64(1)) { power, _ in power * 10 }
        self = .microseconds(whole * size + part * size / scale)
    }

    /// The shortest text that `init(text:)` reads back, exact to the microsecond.
    package var text: String {
        let (seconds, attoseconds) = components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        if microseconds == 0 { return "0s" }
        if let unit = Self.units.first(where: { microseconds % $0.size == 0 }) {
            return "\(microseconds / unit.size)\(unit.name)"
        }
        let digits = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits + "ms"
    }

    /// Whole milliseconds. A fraction is cut off.
    package var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
