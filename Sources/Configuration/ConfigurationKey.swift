/// One key of the configuration: its name, its values and where they go, its default and its purpose.
///
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
        self.name = name
        self.values = values
        self.standard = standard
        self.isSecret = isSecret
        self.need = need
    }

    func means(_ summary: String) -> ConfigurationKey {
        var key = self
        key.summary = summary
        return key
    }

    /// The environment variable: `APNS_TEAM_ID` for `apns.teamId`.
    var environmentName: String {
        var result = ""
        for character in name {
            if character.isUppercase { result += "_" }
            result += character == "." ? "_" : character.uppercased()
        }
        return result
    }

    /// The variable for the app that signs with the key `keyID`, such as `APNS_PRIVATE_KEY_FILE_KEY2345678`.
    func environmentName(forKeyID keyID: String) -> String { environmentName + "_" + keyID }

    static func listed(in section: String) -> [ConfigurationKey] {
        listed.filter { $0.name.hasPrefix(section + ".") }
    }

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

    /// The push service: team, key and bundle id.
    package static let apns = ConfigurationNeeds(rawValue: 1)
    package static let database = ConfigurationNeeds(rawValue: 2)
    /// All that `run` needs.
    package static let all: ConfigurationNeeds = [.apns, .database]
}
