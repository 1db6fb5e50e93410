import Base
import Systemd

/// Makes the lanes: the main app's, then those of `apns.apps`. Each has its own signing key or inherits one.
struct LaneAssembler {
    let namedKeys: NamedKeys
    let checks: ConfigurationChecks
    /// The file to name when a key is missing.
    let path: String
    /// Whether the command sends pushes. People who run other commands may not have the right to read the key.
    let readsKeys: Bool
    /// Whether a missing signing key is an error.
    let reportsMissing: Bool
    /// Whether every user of the machine can read the file.
    let isFileOpen: Bool

    private(set) var problems: [ConfigurationProblem] = []
    /// The apps' values, for `config`.
    private(set) var apps: [EffectiveValues] = []
    /// By key id: the values that gave the key first. The key is nil if it can't be used, so that the error is reported
    /// only once.
    private var brought: [String: (values: EffectiveValues, key: Secret?)] = [:]
    /// By environment and bundle id: the shown name of the app that has them.
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

    /// The lanes, the main app's first. Nil if one can't be made.
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

    /// A device's row names only environment and topic. So each pair must belong to one lane.
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
                what: "\(other) has \(bundleID) in \(environment.rawValue) already",
                remedy: "give it another bundleId or another environment, or remove the entry"
            )
        )
    }

    /// A key belongs to one team (Apple, "Establishing a token-based connection to APNs"). Apple refuses every push
    /// with another team's id.
    private mutating func checkTeam(_ values: EffectiveValues, _ main: EffectiveValues) {
        guard values.origins["apns.keyId"] != nil, let team = values.text("apns.teamId"),
            let mainTeam = main.text("apns.teamId"), team != mainTeam
        else { return }
        report(
            values,
            "apns.teamId",
            "it is not apns.teamId, but the key belongs to that team",
            "add the keyId of a key of this team, and its privateKeyFile"
        )
    }

    /// A token is valid only for its environment's service; the other service would refuse every push.
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
                remedy: "give this app the endpoint of \(own)"
            )
        )
    }

    private mutating func checkOpenFile(_ values: EffectiveValues) {
        let name = "apns.privateKey"
        guard isFileOpen, case .file(let path, _) = values.source(name), values.secret(name) != nil,
            values.origins[name] == nil
        else { return }
        report(
            values,
            name,
            "this file is readable by every user of this machine",
            "move it to the credentials folder (/etc/nudged/credentials); without the service, chmod 600 \(path)",
            as: .permission
        )
    }

    private mutating func checkFile(_ values: EffectiveValues, _ name: String) {
        guard let path = values.text(name) else { return }
        do throws(SystemdError) {
            // Others must not choose which servers are trusted.
            _ = try ProtectedFile(reading: path, limit: 8 << 20)
        } catch {
            problems.append(ConfigurationProblem(error, at: values.source(name), key: values.shownName(name)))
        }
    }

    private mutating func report(
        _ values: EffectiveValues,
        _ name: String,
        _ what: String,
        _ remedy: String,
        as severity: ConfigurationProblem.Severity = .error
    ) {
        problems.append(
            ConfigurationProblem(
                severity,
                at: values.source(name),
                key: values.shownName(name),
                what: what,
                remedy: remedy
            )
        )
    }
}

// MARK: - Signing keys
extension LaneAssembler {
    private static let text = "apns.privateKey"
    private static let file = "apns.privateKeyFile"

    /// Whether a key is given, even one that can't be used.
    private static func isGiven(_ values: EffectiveValues) -> Bool {
        [text, file].contains { values.parsed($0) != .none || values.wrong.contains($0) }
    }

    private mutating func mainKey(_ values: inout EffectiveValues) -> Secret? {
        let isGiven = Self.isGiven(values)
        let key = ownKey(&values)
        if let keyID = values.text("apns.keyId") { brought[keyID] = (values, key) }
        if !isGiven, reportsMissing {
            report(
                values,
                Self.text,
                "it is missing, and so is apns.privateKeyFile",
                "write the path of the .p8 file as privateKeyFile in \(path), "
                    + "or set APNS_PRIVATE_KEY_FILE or APNS_PRIVATE_KEY, "
                    + "or let systemd pass the key (LoadCredential=apns.privateKey:FILE)"
            )
        }
        return key
    }

    /// The entry's own key, from the file or from a source that is named for the key's id. Else the key of an earlier
    /// app with the same id.
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
                values.secret(Self.text) != nil ? Self.text : Self.file,
                "\(above.values.app?.name ?? "apns") gives another key for the same keyId \(keyID)",
                "add this key's own keyId, or remove the key"
            )
        }
        return key
    }

    /// The key's text, from the stronger source of `apns.privateKey` and `apns.privateKeyFile`. Both from equally
    /// strong sources is an error.
    private mutating func ownKey(_ values: inout EffectiveValues) -> Secret? {
        let (text, file) = (Self.text, Self.file)
        let hasText = values.secret(text) != nil || values.wrong.contains(text)
        let hasFile = values.text(file) != nil || values.wrong.contains(file)
        if hasText && hasFile {
            let (textRank, fileRank) = (values.source(text).rank, values.source(file).rank)
            guard textRank != fileRank else {
                report(values, file, "\(values.shownName(text)) is given too", "keep one of them")
                return nil
            }
            values.drop(textRank < fileRank ? text : file)
        }
        guard readsKeys else { return nil }
        if let key = values.secret(text) { return checked(key, values, text) }
        guard let path = values.text(file) else { return nil }
        do throws(SystemdError) {
            return checked(try Credentials.readKeyFile(path), values, file)
        } catch {
            problems.append(ConfigurationProblem(error, at: values.source(file), key: values.shownName(file)))
            return nil
        }
    }

    private mutating func checked(_ key: Secret, _ values: EffectiveValues, _ name: String) -> Secret? {
        do {
            try checks.key(key)
            return key
        } catch {
            let fault = error as? ConfigurationFault
            report(
                values,
                name,
                fault?.what ?? "\(error)",
                fault?.remedy ?? "use the .p8 file of an APNs key from Apple's developer site"
            )
            return nil
        }
    }

    private mutating func reportMissing(_ values: EffectiveValues, _ keyID: String) {
        // If the id is inherited, the main app's missing key is reported already.
        guard reportsMissing, values.origins["apns.keyId"] == nil else { return }
        let variables = NamedKeys.keys.map { $0.environmentName(forKeyID: keyID) }.reversed().joined(separator: " or ")
        problems.append(
            ConfigurationProblem(
                at: values.source("apns.keyId"),
                key: values.shownName(Self.text),
                what: "the key \(keyID) is not given",
                remedy: "write the path of its .p8 file as privateKeyFile beside the keyId, or set \(variables), "
                    + "or let systemd pass the key (LoadCredential=apns.privateKey.\(keyID):FILE)"
            )
        )
    }

    /// Compared without white space: a file ends in a newline, a variable may not.
    private static func isSame(_ left: Secret, _ right: Secret) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                left.lazy.filter { $0 > 0x20 }.elementsEqual(right.lazy.filter { $0 > 0x20 })
            }
        }
    }
}
