import Systemd

/// Makes the lanes: the main app's, then those of `apns.apps`, each with its own signing key or the one that it inherits.
struct LaneAssembler {
    let namedKeys: NamedKeys
    let checks: ConfigurationChecks
    /// Where a missing key would be written.
    let path: String
    /// Whether the command sends. One that only asks the database is run by people who may not read the key.
    let readsKeys: Bool
    /// Whether a signing key that is missing is a fault.
    let reportsMissing: Bool
    /// Whether every user of the machine can read the file.
    let isFileOpen: Bool

    private(set) var problems: [ConfigurationProblem] = []
    /// The values of the apps, for `config --show`.
    private(set) var apps: [EffectiveValues] = []
    /// By key id, who brought its text. Nil as text where it is there and can't be used: that is one fault, not one for each that inherits it.
    private var brought: [String: (values: EffectiveValues, key: Secret?)] = [:]
    /// By environment and bundle id, the shown name of whose they are.
    private var taken: [[String]: String] = [:]

    init(
        namedKeys: NamedKeys,
        checks: ConfigurationChecks,
        path: String,
        readsKeys: Bool,
        reportsMissing: Bool,
        isFileOpen: Bool
    ) {
        self.namedKeys = namedKeys
        self.checks = checks
        self.path = path
        self.readsKeys = readsKeys
        self.reportsMissing = reportsMissing
        self.isFileOpen = isFileOpen
    }

    /// The lanes, the main one first; nil where one can't be made.
    mutating func assemble(_ main: inout EffectiveValues, apps entries: [AppEntry]) -> [Configuration.Lane]? {
        let mainKey = mainKey(&main)
        var lanes = [finish(main, mainKey)]
        for entry in entries {
            var values = EffectiveValues(entry, over: main)
            checkTeam(values, main)
            checkEndpoint(values, main)
            let key = appKey(&values)
            lanes.append(finish(values, key))
            problems += values.problems
            apps.append(values)
        }
        let whole = lanes.compactMap { $0 }
        return whole.count == lanes.count ? whole : nil
    }

    private mutating func finish(_ values: EffectiveValues, _ key: Secret?) -> Configuration.Lane? {
        checkOpenFile(values)
        if readsKeys, values.origins["apns.caFile"] == nil { checkFile(values, "apns.caFile") }
        guard let bundleID = values.text("apns.bundleId"),
            let environment = values.text("apns.environment").flatMap(Configuration.PushEnvironment.init(rawValue:))
        else { return nil }
        checkPair(values, environment, bundleID)
        guard let team = values.text("apns.teamId"), let keyID = values.text("apns.keyId"), let key else { return nil }
        return Configuration.Lane(
            teamID: team,
            keyID: keyID,
            privateKey: key,
            bundleID: bundleID,
            environment: environment,
            endpoint: values.endpoint("apns.endpoint"),
            caFile: values.text("apns.caFile"),
            connections: values.integer("apns.connections") ?? 1
        )
    }

    // MARK: Rules

    /// A device's row names its environment and topic and nothing else, so no two lanes may share both.
    private mutating func checkPair(
        _ values: EffectiveValues,
        _ environment: Configuration.PushEnvironment,
        _ bundleID: String
    ) {
        let pair = [environment.rawValue, bundleID]
        guard let other = taken[pair] else {
            taken[pair] = values.app?.name ?? "apns"
            return
        }
        let said = ["apns.bundleId", "apns.environment"].first { values.origins[$0] == nil }
        if said == nil, values.app?.isUnclear == true { return }
        problems.append(
            ConfigurationProblem(
                at: said.map { values.source($0) } ?? values.app?.source,
                key: said.map { values.shownName($0) } ?? values.app?.name,
                what: "\(bundleID) in \(environment.rawValue) stands already under \(other)",
                mend: "give it another bundleId or another environment, or remove the entry"
            )
        )
    }

    /// A key belongs to one team (Apple, "Establishing a token-based connection to APNs"): with another team's id Apple refuses every push.
    private mutating func checkTeam(_ values: EffectiveValues, _ main: EffectiveValues) {
        guard values.origins["apns.keyId"] != nil, let team = values.text("apns.teamId"),
            let mainTeam = main.text("apns.teamId"), team != mainTeam
        else { return }
        report(
            values,
            "apns.teamId",
            "it is another team than apns.teamId, but the key is that one's",
            "write the keyId of a key of this team beside it, and its privateKeyFile"
        )
    }

    /// Tokens of one environment mean nothing to the other's service: all would be refused.
    private mutating func checkEndpoint(_ values: EffectiveValues, _ main: EffectiveValues) {
        guard values.origins["apns.endpoint"] != nil, values.endpoint("apns.endpoint") != nil,
            let own = values.text("apns.environment"), let other = main.text("apns.environment"), own != other
        else { return }
        problems.append(
            ConfigurationProblem(
                .warning,
                at: values.app?.source ?? .standard,
                key: values.app?.name,
                what: "it inherits apns.endpoint, which serves \(other), though it is for \(own)",
                mend: "write the endpoint of \(own) beside it"
            )
        )
    }

    private mutating func checkOpenFile(_ values: EffectiveValues) {
        let name = "apns.privateKey"
        guard isFileOpen, case .file(let path, _) = values.source(name), values.text(name) != nil,
            values.origins[name] == nil
        else { return }
        report(
            values,
            name,
            "this file is readable by every user of this machine",
            "move it to the folder of credentials (/etc/nudged/credentials); without the service, chmod 600 \(path)",
            as: .permission
        )
    }

    private mutating func checkFile(_ values: EffectiveValues, _ name: String) {
        guard let path = values.text(name) else { return }
        do throws(SystemdError) {
            _ = try Credentials.readText(path, limit: 8 << 20, mayBeWorldReadable: true)
        } catch {
            problems.append(ConfigurationProblem(error, at: values.source(name), key: values.shownName(name)))
        }
    }

    private mutating func report(
        _ values: EffectiveValues,
        _ name: String,
        _ what: String,
        _ mend: String,
        as severity: ConfigurationProblem.Severity = .error
    ) {
        problems.append(
            ConfigurationProblem(
                severity,
                at: values.source(name),
                key: values.shownName(name),
                what: what,
                mend: mend
            )
        )
    }
}

// MARK: - Signing keys
extension LaneAssembler {
    private static let text = "apns.privateKey"
    private static let file = "apns.privateKeyFile"

    /// Whether a key is given at all, be it one that can't be used.
    private static func isGiven(_ values: EffectiveValues) -> Bool {
        [text, file].contains { values.text($0) != nil || values.wrong.contains($0) }
    }

    private mutating func mainKey(_ values: inout EffectiveValues) -> Secret? {
        let isGiven = Self.isGiven(values)
        let key = ownKey(&values)
        if let keyID = values.text("apns.keyId") { brought[keyID] = (values, key) }
        if !isGiven, reportsMissing {
            report(
                values,
                Self.text,
                "neither apns.privateKey nor apns.privateKeyFile is given",
                "name the .p8 file as privateKeyFile in \(path), set APNS_PRIVATE_KEY_FILE or APNS_PRIVATE_KEY, "
                    + "or let systemd hand it over (LoadCredential=apns.privateKey:FILE)"
            )
        }
        return key
    }

    /// The entry's own key, by the file or named for its id; else that of an app above which signs with the same id.
    private mutating func appKey(_ values: inout EffectiveValues) -> Secret? {
        guard let keyID = values.text("apns.keyId") else { return nil }
        if readsKeys, values.origins["apns.keyId"] == nil {
            do throws(NamedKeys.Fault) {
                for layer in try namedKeys.layers(for: keyID) { values.take(layer) }
            } catch {
                let name = values.shownName(Self.text)
                problems.append(ConfigurationProblem(error.error, at: error.source, key: name))
                return nil
            }
        }
        let above = brought[keyID]
        guard Self.isGiven(values) else {
            guard let above else {
                reportMissing(values, keyID)
                return nil
            }
            values.inherit(Self.text, from: above.values)
            values.inherit(Self.file, from: above.values)
            return above.key
        }
        let key = ownKey(&values)
        guard let above else {
            brought[keyID] = (values, key)
            return key
        }
        if let key, let other = above.key, !Self.isSame(key, other) {
            report(
                values,
                values.text(Self.text) != nil ? Self.text : Self.file,
                "\(above.values.app?.name ?? "apns") gives another key under the same keyId \(keyID)",
                "write this key's own keyId beside it, or remove it"
            )
        }
        return key
    }

    /// The key's text, from whichever of the two keys was said at the stronger place; both at the same place is a fault.
    private mutating func ownKey(_ values: inout EffectiveValues) -> Secret? {
        let (text, file) = (Self.text, Self.file)
        let hasText = values.text(text) != nil || values.wrong.contains(text)
        let hasFile = values.text(file) != nil || values.wrong.contains(file)
        if hasText && hasFile {
            let (textRank, fileRank) = (values.source(text).rank, values.source(file).rank)
            guard textRank != fileRank else {
                let names = (text: values.shownName(text), file: values.shownName(file))
                report(values, file, "both \(names.text) and \(names.file) are given", "keep one of them")
                return nil
            }
            values.drop(textRank < fileRank ? text : file)
        }
        guard readsKeys else { return nil }
        if let key = values.text(text) { return checked(key, values, text) }
        guard let path = values.text(file) else { return nil }
        do throws(SystemdError) {
            return checked(try Credentials.readKeyFile(path), values, file)
        } catch {
            problems.append(ConfigurationProblem(error, at: values.source(file), key: values.shownName(file)))
            return nil
        }
    }

    private mutating func checked(_ key: String, _ values: EffectiveValues, _ name: String) -> Secret? {
        do {
            try checks.key(key)
            return Secret(key)
        } catch {
            report(
                values,
                name,
                "\(error)",
                "give the .p8 file of a key for the push service from Apple's developer site"
            )
            return nil
        }
    }

    private mutating func reportMissing(_ values: EffectiveValues, _ keyID: String) {
        // An id that is inherited and has no key is the main app's fault, told already.
        guard reportsMissing, values.origins["apns.keyId"] == nil else { return }
        let variables = NamedKeys.keys.map { $0.environmentName(forKeyID: keyID) }.reversed().joined(separator: " or ")
        problems.append(
            ConfigurationProblem(
                at: values.source("apns.keyId"),
                key: values.shownName(Self.text),
                what: "the key \(keyID) is not given",
                mend: "name its .p8 file as privateKeyFile beside the keyId, set \(variables), "
                    + "or let systemd hand it over (LoadCredential=apns.privateKey.\(keyID):FILE)"
            )
        )
    }

    /// A file ends in a newline, a variable may not.
    private static func isSame(_ left: Secret, _ right: Secret) -> Bool {
        left.text.split(whereSeparator: \.isWhitespace) == right.text.split(whereSeparator: \.isWhitespace)
    }
}
